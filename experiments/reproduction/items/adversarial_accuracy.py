"""Table 2: test error, error found by PGD, exact or bounded adversarial error, and error bounds without a search."""

from .. import numbers, rows
from ..check import wrong_verdicts
from ..section import NOT_YET, Section, Table, of_paper, percent, seconds

NAME, TITLE = "adversarial-accuracy", "Adversarial accuracy"
WHERE = numbers.where(NAME)
ALONE = {"interval": "interval", "linear": "interval,linear"}  # the previous upper bounds, without search


def run(context, data):
    data.setdefault("rows", {})
    data["published"] = context.size.published
    for row in context.rows(rows.of_the_paper() + (rows.published() if context.size.published else [])):
        context.say(row.name)
        data["rows"][row.name] = measured(context, row)
        context.keep()


def measured(context, row):
    count = context.size.large if row.large else context.size.samples
    alone = {name: context.stores.run(f"{row.name}.{name}", row.network, row.dataset, row.eps, count, "--engine",
                                      "bounds", "--tighten", methods)
             for name, methods in ALONE.items()}
    exact = context.exact_results(row)
    samples = [sample for sample in exact if all(sample in results for results in alone.values())]
    return counted(row, {k: exact[k] for k in samples}, {n: {k: r[k] for k in samples} for n, r in alone.items()},
                   context.size.limit)


def counted(row, exact, alone, limit):
    lines = list(exact.values())
    count = len(lines)
    if not count:
        return None
    share = lambda some: sum(some) / count
    return {
        "network": row.network, "weights": row.weights, "eps": row.eps, "samples": count, "limit": limit,
        "test_error": share(line["misclassified"] for line in lines),
        "pgd": share(bool(line["pgd"]) for line in lines),
        "lower": share(line["verdict"] == "violated" for line in lines),
        "upper": share(line["verdict"] != "holds" for line in lines),
        "alone": {name: share(line["verdict"] != "holds" for line in some.values()) for name, some in alone.items()},
        "unknown": sum(line["verdict"] == "unknown" for line in lines),
        "claimed": sum(line["verdict"] == "holds" and line["evidence"] != "rigorous" for line in lines),
        "mean_seconds": share(line["seconds"] for line in lines),
        # Compared with the published verdicts, which exist for this network.
        "verdicts": {str(k): line["verdict"] for k, line in exact.items() if k < 500 and row.name == "lpd-cnna-0.1"},
    }


COLUMNS = [("", "Network"), ("", "ε"), ("", "whose numbers"), ("", "Test error"), ("Lower bound", "PGD"),
           ("Lower bound", "exact search"), ("Upper bound", "interval"), ("Upper bound", "linear"),
           ("Upper bound", "exact search"), ("", "No gap?"), ("", "Mean time / s"), ("", "samples"), ("", "open")]


def section(data):
    paper = Table(COLUMNS, left=3, caption="In the paper's rows, “linear” is the state of the art that it cites: "
                                           "duals of linear and semidefinite relaxations, by others.")
    for row in rows.of_the_paper():
        theirs = numbers.rows(NAME)[row.name]
        paper.add("paper", f"{row.label} ({row.dataset})", row.eps, "paper", of_paper(theirs["test_error"]),
                  of_paper(theirs["pgd"]), of_paper(theirs["lower"]), "", of_paper(theirs["soa"]),
                  of_paper(theirs["upper"]), "✓" if theirs["exact"] else "", f"{theirs['seconds']:.2f}", "10,000", "")
        add_ours(paper, row, data["rows"].get(row.name))
    other = Table(COLUMNS, left=3, caption="Networks that the paper does not have, beside " + numbers.where("published")
                                           + " (its lower bound by PGD and by exact search, its upper bound).")
    for row in rows.published():
        theirs = numbers.rows("published")[row.name]
        other.add("paper", row.label, row.eps, "published", of_paper(theirs["test_error"]), of_paper(theirs["pgd"]),
                  of_paper(theirs["lower"]), "", "", of_paper(theirs["upper"]),
                  "✓" if theirs["lower"] == theirs["upper"] else "", "—", "10,000", "")
        add_ours(other, row, data["rows"].get(row.name))
    return Section(NAME, TITLE, WHERE, tables=[paper, other], notes=[
        "Errors are shares of the samples named in the row; they compare with the paper's only at 10,000.",
        "PGD: 20 starts of 40 steps. Interval, linear: what these bounds alone leave unproven. Open: samples that met "
        "the time limit of " + ", ".join(sorted({f"{r['limit']:g} s" for r in data["rows"].values() if r})) + ".",
        "Every proof counted here is Plumb's own arithmetic, rounding included." if not any(
            r["claimed"] for r in data["rows"].values() if r) else "Some proofs rest on a solver's word.",
        *(f"{row.label} {row.eps} ({row.dataset}): {row.network}, {rows.WEIGHTS[row.weights]}."
          for row in rows.of_the_paper())])


def add_ours(table, row, ours):
    if not ours:
        table.add("plumb", f"  {row.network}", row.eps, "Plumb: " + NOT_YET, *[""] * (len(COLUMNS) - 3))
        return
    table.add("plumb", f"{row.network}", row.eps, f"Plumb, {row.weights}", percent(ours["test_error"]),
              percent(ours["pgd"]), percent(ours["lower"]), percent(ours["alone"]["interval"]),
              percent(ours["alone"]["linear"]), percent(ours["upper"]), "✓" if not ours["unknown"] else "",
              seconds(ours["mean_seconds"]), f"{ours['samples']:,}", f"{ours['unknown']:,}")


def complaints(data, truth):
    for row in rows.of_the_paper() + (rows.published() if data["published"] else []):
        ours = data["rows"].get(row.name)
        if not ours:
            yield f"{row.name}: not measured"
            continue
        order = [ours["test_error"], ours["pgd"], ours["lower"], ours["upper"], ours["alone"]["linear"],
                 ours["alone"]["interval"], 1.0]
        if order != sorted(order):
            yield f"{row.name}: test error <= PGD <= lower <= upper <= linear <= interval does not hold: {order}"
        if round((ours["upper"] - ours["lower"]) * ours["samples"]) != ours["unknown"]:
            yield f"{row.name}: the gap is not what is open"
    verdicts = (data["rows"].get("lpd-cnna-0.1") or {}).get("verdicts", {})
    if not verdicts:
        yield "lpd-cnna-0.1: no verdicts to compare"
    yield from wrong_verdicts("lpd-cnna-0.1", verdicts, truth)
