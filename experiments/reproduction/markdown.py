"""Writes sections as Markdown, with the charts as files beside it."""


def document(title, intro, sections):
    return "\n\n".join([f"# {title}", *intro, *map(section_text, sections)]) + "\n"


def section_text(section):
    parts = [f"## {section.title}", f"*{section.where}*"]
    parts += map(table_text, section.tables)
    parts += (f"![{c.caption}](figures/{c.name}.svg)\n\n{c.caption}" for c in section.charts)
    if section.notes:
        parts.append("\n".join(f"- {note}" for note in section.notes))
    if section.commands:
        commands = "\n".join(f"    {command}" for command in section.commands)
        parts.append(f"<details><summary>Commands</summary>\n\n{commands}\n\n</details>")
    return "\n\n".join(parts)


def table_text(table):
    heads = [" ".join(filter(None, column)) for column in table.columns]
    rule = ["---" if k < table.left else "--:" for k in range(len(heads))]
    lines = [heads, rule, *(cells for _, cells in table.lines)]
    rows = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return (f"{table.caption}\n\n" if table.caption else "") + rows
