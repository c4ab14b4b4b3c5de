"""Table 1: the gain from each of the paper's three optimisations on LPd-CNNA at 0.1, with Plumb's search as another
row."""

import statistics

from .. import numbers, rows
from ..check import wrong_verdicts
from ..section import NOT_YET, Section, Table, number, seconds

NAME, TITLE = "ablation", "Ablation"
WHERE = numbers.where(NAME)
# The paper's verifier has no cuts.
MILP = ("--engine", "milp", "--no-cuts")
# The options that remove each optimisation from the mixed-integer engine.
REMOVED = {"control": (), "progressive": ("--no-progressive",), "domain": ("--no-restricted-domain",),
           "asymmetric": ("--symmetric-bounds",)}
# Over the whole domain nearly every unit is undecided. Linear programs for all of them take hours (in the paper: 3593
# s).
TIGHTEN = {name: "interval,linear" if name == "domain" else "interval,lp" for name in REMOVED}
MORE = {"layered": ("the paper's encoding, layer by layer",
                    (*MILP, "--tighten", "interval,lp", "--encoding", "layered")),
        "linear": ("control, with linear bounds and optimised slopes instead of LP", MILP),
        "search": ("Plumb's search (branch and bound), not a program", ("--engine", "bab"))}


def options_of(name):
    if name in MORE:
        return MORE[name][1]
    return (*MILP, "--tighten", TIGHTEN[name], *REMOVED[name])


def run(context, data):
    row = rows.named("lpd-cnna-0.1")
    data.setdefault("rows", {})
    for name in (*REMOVED, *MORE):
        context.say(name)
        results = context.results(
            f"ablation.{name}", row.network, row.dataset, row.eps, context.size.samples, *options_of(name), "--timeout",
            context.size.limit)
        if results:
            data["rows"][name] = figures(list(results.values())) | {"limit": context.size.limit}
        context.keep()


def figures(lines):
    """The columns of table 1."""
    build, solve = ([line["statistics"][f"{part}_seconds"] for line in lines] for part in ("build", "solve"))
    nodes = [line["statistics"]["nodes"] for line in lines]
    return {"samples": len(lines), "build": statistics.mean(build), "solve": statistics.mean(solve),
            "total": statistics.mean(line["seconds"] for line in lines), "nodes_mean": statistics.mean(nodes),
            "nodes_median": statistics.median(nodes),
            "timed_out": sum(line["verdict"] == "unknown" for line in lines) / len(lines),
            "verdicts": {str(line["sample"]): line["verdict"] for line in lines}}


def section(data):
    table = Table([("", "Optimisation removed"), ("", "whose numbers"), ("Mean time / s", "build"),
                   ("Mean time / s", "solve"),
                   ("Mean time / s", "total"), ("Nodes explored", "mean"), ("Nodes explored", "median"),
                   ("", "Fraction timed out"), ("", "samples")], left=2)
    for name in (*REMOVED, *MORE):
        label = numbers.rows(NAME)[name]["removed"] if name in REMOVED else MORE[name][0]
        if name in REMOVED:
            theirs = numbers.rows(NAME)[name]
            table.add("paper", label + (" †" if name == "domain" else ""), "paper",
                      *(f"{theirs[key]:.2f}" for key in ("build", "solve", "total", "nodes_mean")),
                      number(theirs["nodes_median"]), f"{theirs['timed_out']:.4f}", "10,000")
        ours = data["rows"].get(name)
        if not ours:
            table.add("plumb", label, f"Plumb: {NOT_YET}", *[""] * 7)
            continue
        table.add("plumb", label, "Plumb, own", *(seconds(ours[key]) for key in ("build", "solve", "total")),
                  number(float(ours["nodes_mean"])), number(ours["nodes_median"], 0), f"{ours['timed_out']:.4f}",
                  f"{ours['samples']:,}")
    limits = sorted({f"{ours['limit']:g} s" for ours in data["rows"].values()})
    return Section(NAME, TITLE, WHERE, tables=[table], notes=[
        "LPd-CNNA is mnist_wk17a, the paper's own weights, at 0.1. The paper solves with Gurobi and a limit of 1200 "
        f"s; here HiGHS on the reduced network, limit {', '.join(limits)} a sample. A sample that met the limit "
        "counts with it, so times of such rows are lower bounds.",
        "† The paper leaves out 3593 s for bounds over the whole domain, which are computed once. Plumb bounds it by "
        "intervals and backward substitution instead of linear programs, and leaves that out too.",
        "Plumb's search has no build: it bounds and searches in one."])


def complaints(data, truth):
    for name in (*REMOVED, *MORE):
        ours = data["rows"].get(name)
        if not ours:
            yield f"{name}: not measured"
            continue
        if not 0 <= ours["timed_out"] <= 1 or min(ours[key] for key in ("build", "solve", "nodes_mean")) < 0:
            yield f"{name}: {ours}"
        if ours["build"] + ours["solve"] > ours["total"] * 1.001 + 0.01:
            yield f"{name}: build and solve take longer than both together"
        yield from wrong_verdicts(name, ours["verdicts"], truth)
