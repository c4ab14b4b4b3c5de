"""Writes sections as one HTML page that contains everything it shows and loads nothing."""

import html
import itertools

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #666; --rule: #ccc; --ours: #eef4fb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e4e4; --paper: #16181b; --soft: #a0a0a0; --rule: #444;
  --ours: #1d2a38; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin: 2.5rem 0 0; }
.where, caption, figcaption, .notes { color: var(--soft); font-size: .9rem; }
.where { margin: 0 0 .5rem; } caption { text-align: left; padding: .3rem 0; } figure { margin: 1rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; margin: .5rem 0; }
th, td { padding: .2rem .5rem; text-align: right; border-bottom: 1px solid var(--rule); vertical-align: top; }
td.number { white-space: nowrap; } th.text, td.text { text-align: left; } th.group { text-align: center; }
tr.plumb { background: var(--ours); -webkit-print-color-adjust: exact; print-color-adjust: exact; }
pre { overflow-x: auto; font-size: .75rem; } nav ol { columns: 18rem; font-size: .95rem; } a { color: inherit; }
@page { size: A4 landscape; margin: 12mm; }
@media print { :root { --ink: #000; --paper: #fff; --soft: #444; --rule: #999; --ours: #eee; }
  body { font-size: 10pt; max-width: none; padding: 0; } details { display: none; } .wide { overflow: visible; }
  table { font-size: 7.5pt; } tr, figure { break-inside: avoid; } h2, .where { break-after: avoid; } }
"""


def page(title, intro, sections):
    contents = "\n".join(f'<li><a href="#{s.name}">{text(s.title)}</a></li>' for s in sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{text(title)}</h1>
{paragraphs(intro)}
<nav><ol>
{contents}
</ol></nav>
{"".join(map(section_html, sections))}
</body>
</html>
"""


def section_html(section):
    parts = [f'<section id="{section.name}">', f"<h2>{text(section.title)}</h2>",
             f'<p class="where">{text(section.where)}</p>']
    parts += map(table_html, section.tables)
    parts += (f'<figure><div class="wide">{chart.svg}</div><figcaption>{text(chart.caption)}</figcaption></figure>'
              for chart in section.charts)
    if section.notes:
        parts.append('<ul class="notes">' + "".join(f"<li>{text(note)}</li>" for note in section.notes) + "</ul>")
    if section.commands:
        parts.append(f"<details><summary>{len(section.commands)} commands</summary><pre>"
                     + text("\n".join(section.commands)) + "</pre></details>")
    return "\n".join(parts) + "\n</section>\n"


def table_html(table):
    groups = [(group, len(list(columns))) for group, columns in itertools.groupby(table.columns, lambda c: c[0])]
    head = ""
    if any(group for group, _ in groups):
        head = "<tr>" + "".join(f'<th class="group" colspan="{n}">{text(group)}</th>' for group, n in groups) + "</tr>"
    kind = ["text" if k < table.left else "number" for k in range(len(table.columns))]
    columns = (f'<th scope="col" class="{k}">{text(column[1])}</th>' for k, column in zip(kind, table.columns))
    head += f"<tr>{''.join(columns)}</tr>"
    body = "".join(f'<tr class="{line}">{"".join(cell_html(k, cell) for k, cell in zip(kind, cells))}</tr>\n'
                   for line, cells in table.lines)
    caption = f"<caption>{text(table.caption)}</caption>" if table.caption else ""
    return f'<div class="wide"><table>{caption}<thead>{head}</thead><tbody>\n{body}</tbody></table></div>'


def cell_html(kind, cell):
    return f'<td class="{kind}">{text(cell)}</td>'


def paragraphs(lines):
    return "\n".join(f"<p>{text(line)}</p>" for line in lines)


def text(raw):
    return html.escape(str(raw))
