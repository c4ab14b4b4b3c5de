"""Figure 4: units that are not provably stable as epsilon grows, by linear bounds and by linear programs."""

from .. import charts, rows
from ..section import NOT_YET, Chart, Section, Table, number
from ..unit_counts import unit_counts

NAME, TITLE = "stability", "Stability of units against ε"
WHERE = "figure 4 (fig:stability-across-normbounds)"
ROWS = ("lpd-cnna-0.1", "sdpd-mlpa-0.1", "adv-mlpb-0.1")
COARSE = tuple(k / 100 for k in range(0, 21, 2))
FINE = (0.09, 0.098, 0.101, 0.102, 0.103, 0.104, 0.106, 0.108, 0.112)  # around the jump of LPd-CNNA
METHODS = {"linear": "linear bounds", "lp": "LP bounds"}


def grid(highest=0.2):
    return sorted(eps for eps in {*COARSE, *FINE} if eps <= highest)


def run(context, data):
    data.setdefault("rows", {})
    for row in context.rows([rows.named(name) for name in ROWS]):
        found = data["rows"].setdefault(row.name, {"linear": {}, "lp": {}})
        for method in METHODS:
            # Linear programs for the convolutional network take long beyond the jump. The other networks are small.
            highest = context.size.highest if method == "lp" and row.name.startswith("lpd-cnna") else 0.2
            context.say(f"{row.name} by {METHODS[method]} up to {highest}")
            counts = unit_counts(context.plumb, row.network, row.dataset, grid(highest), context.size.samples, method)
            found[method] = {str(eps): values for eps, values in counts.items()}
            context.keep()


def section(data):
    table = Table([("", "ε"), *((rows.named(name).label, f"{what}") for name in ROWS
                                for what in ("active", "inactive", "unstable", "unstable, LP"))])
    have = [name for name in ROWS if data["rows"].get(name)]
    for eps in map(str, grid()):
        cells = []
        for name in ROWS:
            found = data["rows"].get(name, {"linear": {}, "lp": {}})
            linear, lp = found["linear"].get(eps), found["lp"].get(eps)
            cells += [number(float(linear[kind]), 1) if linear else "" for kind in ("active", "inactive", "unstable")]
            cells.append(number(float(lp["unstable"]), 1) if lp else "")
        table.add("plumb", eps, *cells)
    panels = {rows.named(name).label: {label: [(float(eps), counts["unstable"])
                                               for eps, counts in data["rows"][name][method].items()]
                                       for method, label in METHODS.items()} for name in have}
    shown = [Chart("stability", charts.lines("stability", panels, "ε (l∞)", "units not provably stable", dotted=(0.1,)),
                   "Mean number of units that cannot be proven stable; dotted: 0.1, for which the "
                   "networks were trained. On LPd-CNNA it jumps behind 0.102.")] if have else []
    samples = sorted({count["samples"] for name in have for count in data["rows"][name]["linear"].values()})
    return Section(NAME, TITLE, WHERE, tables=[table], charts=shown, notes=[
        *(f"{row.label}: {row.network}, {rows.WEIGHTS[row.weights]}." for row in map(rows.named, ROWS)),
        f"Means over the first {' or '.join(map(str, samples)) or NOT_YET} samples. Where LP bounds are missing, they "
        "would take long: about a minute a sample at 0.2.",
        "The paper gives this as a picture only. What it says of it: a sharp increase on LPd-CNNA beyond 0.102, and "
        "none as abrupt on the other two."])


def complaints(data, truth):
    for name in ROWS:
        found = data["rows"].get(name)
        if not found:
            yield f"{name}: not measured"
            continue
        if set(found["linear"]) != set(map(str, grid())) or not found["lp"]:
            yield f"{name}: epsilons are missing"
            continue
        for method in METHODS:
            counts = [found[method][eps]["unstable"] for eps in map(str, grid()) if eps in found[method]]
            # A larger region cannot have more stable units, but bounds from a relaxation are not exactly monotone.
            if any(after < before - max(1, 0.01 * before) for before, after in zip(counts, counts[1:])):
                yield f"{name}: {method}: more units are stable in a larger region: {counts}"
        if any(counts["unstable"] > found["linear"][eps]["unstable"] for eps, counts in found["lp"].items()):
            yield f"{name}: linear programs leave more units unstable than linear bounds"
    jump = (data["rows"].get("lpd-cnna-0.1") or {}).get("linear", {})
    if {"0.1", "0.102", "0.103"} <= set(jump):
        at = {eps: jump[eps]["unstable"] for eps in ("0.1", "0.102", "0.103")}
        before, after = at["0.102"] - at["0.1"], at["0.103"] - at["0.102"]
        if after < 100 or after < 5 * before:
            yield f"lpd-cnna-0.1: no jump at 0.102: {before} units, then {after}"
