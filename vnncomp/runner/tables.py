"""Results by category, as rows of text: one folder alone, or two side by side. Seconds are of solved instances."""

import statistics

OUTCOMES = ("solved", "wrong", "unknown", "error")


def by_category(rows):
    """{category: rows}, in the order of the rows."""
    groups = {}
    for row in rows:
        groups.setdefault(row["category"], []).append(row)
    return groups


def counts(rows):
    return {outcome: sum(row["outcome"] == outcome for row in rows) for outcome in OUTCOMES}


def solved_seconds(rows):
    """(median, maximum) as text."""
    seconds = [float(row["seconds"]) for row in rows if row["outcome"] == "solved"]
    return (f"{statistics.median(seconds):.2f}", f"{max(seconds):.2f}") if seconds else ("", "")


def category_table(rows, instances):
    """The head, the lines, the line of all. `instances` are those of the list, run or not."""
    left = len(instances) > len(rows)
    head = ["category", "instances", *OUTCOMES, *(["to run"] if left else []), "median s", "maximum s", "peak MiB"]
    groups, listed = by_category(rows), {}
    for instance in instances:
        listed[instance.category] = listed.get(instance.category, 0) + 1

    def line(name, chosen, total):
        peak = f"{max(float(row['peak_mib']) for row in chosen):.0f}" if chosen else ""
        to_run = [str(total - len(chosen))] if left else []
        return [name, str(total), *map(str, counts(chosen).values()), *to_run, *solved_seconds(chosen), peak]

    lines = [line(category, groups.get(category, []), total) for category, total in listed.items()]
    return head, lines, line("all", rows, len(instances))


def comparison(a_name, a_rows, b_name, b_rows):
    """The same for two folders, over the instances that both have; and where they differ."""
    b_by_key = {key_of(row): row for row in b_rows}
    pairs = [(row, b_by_key[key_of(row)]) for row in a_rows if key_of(row) in b_by_key]
    head = ["category", "instances"]
    for name in (a_name, b_name):
        head += [f"{name}: {what}" for what in ("solved", "wrong", "median s", "maximum s")]

    def line(name, chosen):
        cells = [name, str(len(chosen))]
        for side in (0, 1):
            rows = [pair[side] for pair in chosen]
            cells += [str(counts(rows)["solved"]), str(counts(rows)["wrong"]), *solved_seconds(rows)]
        return cells

    groups = {}
    for pair in pairs:
        groups.setdefault(pair[0]["category"], []).append(pair)
    return head, [line(*group) for group in groups.items()], line("all", pairs), differences(pairs)


def differences(pairs):
    """Pairs where one side is right and the other is not, or where the two contradict each other."""
    return [(a, b) for a, b in pairs if (a["outcome"] == "solved") != (b["outcome"] == "solved") or contradict(a, b)]


def contradict(a, b):
    return {a["answer"], b["answer"]} == {"sat", "unsat"}


def key_of(row):
    return row["category"], row["onnx"], row["vnnlib"]


def short(head):
    """For people: what several columns in a row begin with is said once."""
    said = [cell.split(": ")[0] if ": " in cell else None for cell in head]
    return [cell.split(": ", 1)[1] if k > 0 and said[k] and said[k] == said[k - 1] else cell
            for k, cell in enumerate(head)]


def as_text(head, lines, last):
    head = short(head)
    every = [head, *lines, last]
    widths = [max(len(line[k]) for line in every) for k in range(len(head))]

    def shown(line):
        cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        return "  ".join(cells).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([shown(head), rule, *map(shown, lines), rule, shown(last)])
