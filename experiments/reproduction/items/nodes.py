"""Table 5: nodes explored (subproblems of the search)."""

import math
import statistics

from .. import numbers, rows
from ..section import NOT_YET, Section, Table, number, seconds

NAME, TITLE = "nodes", "Nodes explored"
WHERE = numbers.where(NAME)
PERCENTILES = {"p90": 90, "p95": 95, "p99": 99, "p99_9": 99.9}
KEYS = ("mean", "median", *PERCENTILES, "maximum")


def run(context, data):
    data.setdefault("rows", {})
    for row in context.rows(rows.of_the_paper()):
        context.say(row.name)
        lines = list(context.exact_results(row).values())
        if lines:
            data["rows"][row.name] = {"network": row.network, "weights": row.weights, "samples": len(lines),
                                      "mean_seconds": statistics.mean(line["seconds"] for line in lines),
                                      "unknown": sum(line["verdict"] == "unknown" for line in lines),
                                      **spread([line["statistics"]["nodes"] for line in lines])}
        context.keep()


def spread(values):
    ordered = sorted(values)
    # The smallest value that at least this percentage of all values does not exceed.
    at = lambda percent: ordered[max(0, math.ceil(percent / 100 * len(ordered) - 1e-9) - 1)]
    return {"mean": statistics.mean(ordered), "median": statistics.median(ordered),
            **{key: at(percent) for key, percent in PERCENTILES.items()}, "maximum": ordered[-1]}


def section(data):
    table = Table([("", "Network"), ("", "ε"), ("", "whose numbers"), ("", "Mean time / s"), ("Nodes explored", "mean"),
                   ("Nodes explored", "median"), *(("Nodes explored", f"{p} %") for p in PERCENTILES.values()),
                   ("Nodes explored", "max"), ("", "samples")], left=3)
    for row in rows.of_the_paper():
        theirs = numbers.rows(NAME)[row.name]
        table.add("paper", f"{row.label} ({row.dataset})", row.eps, "paper", f"{theirs['seconds']:.2f}",
                  *(number(theirs[key]) for key in KEYS), "10,000")
        ours = data["rows"].get(row.name)
        if ours:
            table.add("plumb", row.network, row.eps, f"Plumb, {row.weights}", seconds(ours["mean_seconds"]),
                      number(float(ours["mean"])), *(number(ours[key], 0) for key in KEYS[1:]), f"{ours['samples']:,}")
        else:
            table.add("plumb", row.network, row.eps, f"Plumb: {NOT_YET}", *[""] * 9)
    return Section(NAME, TITLE, WHERE, tables=[table], notes=[
        "The paper's nodes are linear programs of Gurobi's tree; Plumb's are subproblems of its own search, each "
        "bounded by backward substitution. From the stores of table 2; 0 means that bounds or an attack decided the "
        "sample."])


def complaints(data, truth):
    for row in rows.of_the_paper():
        ours = data["rows"].get(row.name)
        if not ours:
            yield f"{row.name}: not measured"
            continue
        order = [0, *(ours[key] for key in ("median", *PERCENTILES, "maximum"))]
        if order != sorted(order) or not 0 <= ours["mean"] <= ours["maximum"]:
            yield f"{row.name}: percentiles that do not increase, or a mean outside: {ours}"
