"""Tables 3 and 6: eliminated labels and stable units, beside the mean time."""

from .. import numbers, rows
from ..section import NOT_YET, Section, Table, number, seconds
from ..unit_counts import unit_counts

NAME, TITLE = "determinants", "Determinants of verification time"
WHERE = numbers.where(NAME)
KINDS = ("unstable", "active", "inactive")


def run(context, data):
    """The search's counts come from the stores of table 2. Bounds by linear programs, as in the paper, are measured
    where the network is small enough."""
    data.setdefault("rows", {})
    for row in context.rows(rows.of_the_paper()):
        context.say(row.name)
        results = context.exact_results(row).values()
        found = [line for line in results if line["statistics"]["layers"]]
        data["rows"][row.name] = {"network": row.network, "weights": row.weights, "search": means(found), "lp": None,
                                  "correct": sum(not line["misclassified"] for line in results)}
        context.keep()
        if row.large:
            continue
        data["rows"][row.name]["lp"] = unit_counts(context.plumb, row.network, row.dataset, [row.eps],
                                                   context.size.samples, "lp")[row.eps]
        context.keep()


def means(lines):
    if not lines:
        return None
    layers = [layer for line in lines for layer in line["statistics"]["layers"]]
    total = {kind: sum(layer[kind] for layer in layers) / len(lines) for kind in KINDS}
    return total | {"samples": len(lines), "total": sum(total.values()),
                    "labels_eliminated": sum(line["statistics"]["labels_eliminated"] for line in lines) / len(lines),
                    "mean_seconds": sum(line["seconds"] for line in lines) / len(lines)}


def section(data):
    table = Table([("", "Network"), ("", "ε"), ("", "whose numbers"), ("", "Mean time / s"), ("", "Labels eliminated"),
                   ("Number of ReLUs", "possibly unstable"), ("Number of ReLUs", "stably active"),
                   ("Number of ReLUs", "stably inactive"), ("Number of ReLUs", "total"), ("", "samples")], left=3)
    for row in rows.of_the_paper():
        theirs = numbers.rows(NAME)[row.name]
        table.add("paper", f"{row.label} ({row.dataset})", row.eps, f"paper, table {theirs['table']}",
                  f"{theirs['seconds']:.2f}", *cells(theirs), "10,000")
        ours = data["rows"].get(row.name) or {}
        for which, label in (("search", "search"), ("lp", "LP bounds alone")):
            if ours.get(which):
                table.add("plumb", row.network, row.eps, f"Plumb, {label}, {row.weights}",
                          seconds(ours[which]["mean_seconds"]), *cells(ours[which]), f"{ours[which]['samples']:,}")
            elif which == "search":
                table.add("plumb", row.network, row.eps, f"Plumb: {NOT_YET}", *[""] * 7)
    return Section(NAME, TITLE, WHERE, tables=[table], notes=[
        "Search: what the bounds of Plumb's search left when it was done or began to split, misclassified samples left "
        "out: intervals and backward substitution, then optimised slopes where they were needed.",
        "LP bounds: every unit that these leave undecided by linear programs, the paper's maximum effort; the time is "
        "that of the bounds. Not for CNNB and RES.",
        "A label counts as eliminated if its margin is bounded above zero. The paper compares bounds of single "
        "outputs, which eliminates fewer."])


def cells(values):
    return (f"{values['labels_eliminated']:.2f}", *(number(float(values[kind])) for kind in KINDS),
            number(round(values["total"])))


def complaints(data, truth):
    for row in rows.of_the_paper():
        ours = data["rows"].get(row.name) or {}
        total = numbers.rows(NAME)[row.name]["total"]
        for which in ("search", "lp"):
            values = ours.get(which)
            if not values:
                if which == "lp" and row.large or which == "search" and ours.get("correct") == 0:
                    continue  # too large for linear programs, and too few samples for the search
                yield f"{row.name}: no counts by {which}"
                continue
            if round(values["total"]) != total or abs(sum(values[kind] for kind in KINDS) - total) > 1e-6:
                yield f"{row.name}: {which}: {values} are not {total} units"
            if not 0 <= values["labels_eliminated"] <= 9:
                yield f"{row.name}: {which}: {values['labels_eliminated']} of 9 labels eliminated"
