"""Results as one HTML file without scripts, in the style of plumb report: on screens light and dark, wide and narrow,
and on paper. Every text that comes from files is escaped."""

import html
import pathlib

from one_run import REPOSITORY
from tables import OUTCOMES, counts, short

STYLE = REPOSITORY / "src/report/page/report.css"
TONES = {"solved": "robust", "wrong": "vulnerable", "unknown": "unknown", "error": "misclassified"}
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<!-- The browser itself sees to it that nothing is asked for from anywhere. -->
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}
tr.all td {{ font-weight: 650; border-top: 2px solid var(--line); }}
td.wide {{ overflow-wrap: anywhere; }}
</style>
</head>
<body>
<header class="top"><p class="brand">Plumb <span>instances of VNN-COMP</span></p></header>
<main>
"""


def whole(title, sections, footer):
    head = HEAD.format(title=html.escape(title), style=STYLE.read_text())
    return f"{head}{''.join(sections)}</main>\n<footer><p>{html.escape(footer)}</p></footer>\n</body>\n</html>\n"


def table(head, lines, last=None, words=(0,), wide=()):
    """Columns in `words` hold words, those in `wide` long ones."""
    def kind(k):
        return ' class="words wide"' if k in wide else ' class="words"' if k in words else ""

    def cells(tag, line):
        return "".join(f"<{tag}{kind(k)}>{cell}</{tag}>" for k, cell in enumerate(line))

    def escaped(line):
        return [cell if isinstance(cell, Markup) else html.escape(cell) for cell in line]

    body = "\n".join(f"<tr>{cells('td', escaped(line))}</tr>" for line in lines)
    if last:
        body += f'\n<tr class="all">{cells("td", escaped(last))}</tr>'
    label = html.escape(head[0])
    return (f'<div class="scroller" role="region" aria-label="By {label}" tabindex="0"><table>\n'
            f"<thead><tr>{cells('th', escaped(short(head)))}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>\n")


class Markup(str):
    """Text that is HTML already."""


def chip(outcome):
    return Markup(f'<span class="chip" style="--tone: var(--{TONES[outcome]})">{outcome}</span>')


def section(title, lead, *parts):
    return (f'<section>\n<h2>{html.escape(title)}</h2>\n<p class="lead">{html.escape(lead)}</p>\n'
            f'{"".join(parts)}</section>\n')


def overview(rows, instances, settings):
    counted = counts(rows)
    tiles = "".join(f'<div style="--tone: var(--{TONES[name]})"><dt>{name}</dt><dd>{counted[name]}</dd></div>'
                    for name in OUTCOMES)
    if len(rows) < len(instances):
        tiles += f"<div><dt>to run</dt><dd>{len(instances) - len(rows)}</dd></div>"
    facts = settings | {"limit": f"{settings['limit']:g} s, or the list's"}
    listed = "".join(f"<div><dt>{name}</dt><dd>{html.escape(str(value))}</dd></div>" for name, value in facts.items())
    return (f'<section class="hero">\n<p class="kicker">Decided, and not wrong</p>\n'
            f"<h1>{counted['solved']} of {len(instances)} <small>instances solved</small></h1>\n"
            f'<dl class="tiles">{tiles}</dl>\n<dl class="facts">{listed}</dl>\n</section>\n')


def instance_line(instance, row):
    return [instance.name, row["known"], row["answer"], chip(row["outcome"]), row["seconds"], row["limit_s"],
            row["peak_mib"], "; ".join(filter(None, [row["remark"], row["reason"]]))]


def results_page(instances, rows_by_key, settings, categories):
    """`categories` is what tables.category_table gives."""
    done = [(instance, rows_by_key[instance.key]) for instance in instances if instance.key in rows_by_key]
    rows = [row for _, row in done]
    head, lines, last = categories
    columns = ["instance", "known", "answer", "outcome", "seconds", "limit s", "peak MiB", "by, or what limits it"]
    shape = {"words": (0, 1, 2, 3, 7), "wide": (0, 7)}
    sections = [overview(rows, instances, settings),
                section("By category", "Seconds are those of solved instances, with the start of the program.",
                        table(head, lines, last))]
    open_ones = [instance_line(*pair) for pair in done if pair[1]["outcome"] != "solved"]
    if open_ones:
        sections.append(section("Not solved", "What is wrong, or what limits it.", table(columns, open_ones, **shape)))
    every = [instance_line(*pair) for pair in done]
    sections.append(section("Every instance", "A sat counts only if its counterexample, replayed in ONNX Runtime, "
                            "satisfies the property as an independent reader reads it.",
                            table(columns, every, **shape)))
    return whole("Plumb: VNN-COMP instances", sections,
                 "Made by scripts/vnncomp; results.csv beside this page has the same.")


def comparison_page(names, settings, head, lines, last, different):
    said = [f"{name}: plumb {one['plumb']}, --engine {one['engine']}, --limit {one['limit']:g}, {one['machine']}"
            for name, one in zip(names, settings)]
    columns = ["instance"] + [f"{name}: {what}" for name in names for what in ("answer", "outcome", "seconds")]
    shown = [[f"{a['category']}: {pathlib.Path(a['onnx']).name} {pathlib.Path(a['vnnlib']).name}",
              a["answer"], chip(a["outcome"]), a["seconds"], b["answer"], chip(b["outcome"]), b["seconds"]]
             for a, b in different]
    sections = [f'<section class="hero"><h1>{html.escape(names[0])} <small>and {html.escape(names[1])}</small></h1>\n'
                + "".join(f"<p>{html.escape(line)}</p>\n" for line in said) + "</section>\n",
                section("By category", "Instances that both have. Seconds are those of solved instances.",
                        table(head, lines, last))]
    if shown:
        sections.append(section("Solved by one alone", "Or answered differently.",
                                table(columns, shown, words=(0, 1, 2, 4, 5), wide=(0,))))
    return whole("Plumb: VNN-COMP instances, side by side", sections, "Made by scripts/vnncomp --compare.")
