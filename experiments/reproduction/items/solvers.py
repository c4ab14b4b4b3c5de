"""Table 4: the paper's verifier on LPd-CNNA at 0.1 with each solver."""

from .. import numbers, rows
from ..check import wrong_verdicts
from ..section import NOT_YET, Section, Table, of_paper, percent, seconds

NAME, TITLE = "solvers", "Solvers"
WHERE = numbers.where(NAME)
SOLVERS = {"gurobi": "Gurobi", "highs": "HiGHS", "cbc": "Cbc", "glpk": "GLPK"}


def run(context, data):
    row = rows.named("lpd-cnna-0.1")
    data.setdefault("rows", {})
    data["absent"] = [solver for solver in SOLVERS if not available(context, solver)]
    for solver in SOLVERS:
        if solver in data["absent"]:
            continue
        context.say(solver)
        results = context.results(
            f"solvers.{solver}", row.network, row.dataset, row.eps, context.size.samples, "--engine", "milp",
            "--no-cuts", "--solver", solver, "--tighten", "interval,lp", "--timeout", context.size.limit)
        lines = list(results.values())
        if lines:
            data["rows"][solver] = {
                "samples": len(lines), "limit": context.size.limit,
                "lower": sum(line["verdict"] == "violated" for line in lines) / len(lines),
                "upper": sum(line["verdict"] != "holds" for line in lines) / len(lines),
                "mean_seconds": sum(line["seconds"] for line in lines) / len(lines),
                "verdicts": {str(line["sample"]): line["verdict"] for line in lines}}
        context.keep()


def available(context, solver):
    found = context.plumb.run(["solvers", "--json"])
    flat = [entry for line in found for entry in (line["solvers"] if "solvers" in line else [line])]
    return any(entry["name"] == solver and entry.get("available", True) for entry in flat)


def section(data):
    table = Table([("", "Approach"), ("", "whose numbers"), ("Adversarial error", "lower bound"),
                   ("Adversarial error", "upper bound"), ("", "Mean time / s"), ("", "samples")], left=2)
    for solver, label in SOLVERS.items():
        theirs = numbers.rows(NAME).get(solver)
        if theirs:
            table.add("paper", theirs["approach"], "paper", of_paper(theirs["lower"]), of_paper(theirs["upper"]),
                      f"{theirs['seconds']:.2f}", "10,000")
        ours = data["rows"].get(solver)
        if ours:
            table.add("plumb", f"MILP with {label}", "Plumb, own", percent(ours["lower"]), percent(ours["upper"]),
                      seconds(ours["mean_seconds"]), f"{ours['samples']:,}")
        else:
            why = "no installation with a licence" if solver in data.get("absent", ()) else NOT_YET
            table.add("plumb", f"MILP with {label}", f"Plumb: {why}", *[""] * 4)
    theirs = numbers.rows(NAME)["soa"]
    table.add("paper", theirs["approach"], "paper", of_paper(theirs["lower"]), of_paper(theirs["upper"]), "—", "10,000")
    limits = sorted({f"{ours['limit']:g} s" for ours in data["rows"].values()})
    return Section(NAME, TITLE, WHERE, tables=[table], notes=[
        "LPd-CNNA is mnist_wk17a, the paper's own weights, at 0.1. Interval bounds, then linear programs, then the "
        f"mixed-integer program, all by the solver of the row; limit {', '.join(limits)} a sample."])


def complaints(data, truth):
    for solver in SOLVERS:
        ours = data["rows"].get(solver)
        if not ours:
            if solver != "gurobi" or solver not in data.get("absent", ()):
                yield f"{solver}: not measured"
            continue
        if not 0 <= ours["lower"] <= ours["upper"] <= 1:
            yield f"{solver}: bounds out of order"
        yield from wrong_verdicts(solver, ours["verdicts"], truth)
