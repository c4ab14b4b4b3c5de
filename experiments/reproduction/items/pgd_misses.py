"""Figure 3: how often PGD with one random start finds an adversarial example, by distance of the nearest one."""

from .. import charts, rows
from ..section import NOT_YET, Chart, Section, Table, percent

NAME, TITLE = "pgd-misses", "Which adversarial examples PGD misses"
WHERE = "figure 3 (fig:pgd-miss)"
ROWS = ("lpd-cnna-0.1", "lpd-cnna-0.2", "lpd-cnna-0.3", "lpd-cnna-0.4")
BIN = 0.01


def run(context, data):
    data.setdefault("rows", {})
    for row in context.rows([rows.named(name) for name in ROWS]):
        context.say(row.name)
        results = context.exact_results(row)
        vulnerable = sorted(k for k, line in results.items() if line["verdict"] == "violated"
                            and not line["misclassified"])[: context.size.vulnerable]
        # The nearest one is found to within a hundredth, at most a tenth of a bin.
        nearest = context.plumb.measure_all([
            ("distortion", row.network, row.dataset, "--sample", k, "--gap", "1e-2", "--timeout", context.size.limit,
             "--threads", 1) for k in vulnerable])
        attacks = context.plumb.measure_all([
            ("attack", row.network, row.dataset, "--sample", k, "--eps", row.eps, "--restarts", 1, "--random-start",
             "--threads", 1) for k in vulnerable])
        data["rows"][row.name] = {"network": row.network, "weights": row.weights, "eps": row.eps, "samples": [
            {"sample": k, "lower": distortion["lower"], "upper": min(distortion["upper"], results[k]["distance"]),
             "exact": distortion["exact"], "found": attack["verdict"] == "violated"}
            for k, (distortion,), (attack,) in zip(vulnerable, nearest, attacks)]}
        context.keep()


def bins(samples):
    """{bin: (number of samples, number that PGD finds)}. A sample's bin is that of its nearest witness."""
    counts = {}
    for one in samples:
        number = int(one["upper"] / BIN)
        many, found = counts.get(number, (0, 0))
        counts[number] = (many + 1, found + one["found"])
    return counts


def rate(samples):
    if not samples:
        return "none"
    return f"{percent(sum(one['found'] for one in samples) / len(samples))} of {len(samples)}"


def section(data):
    table = Table([("", "Network"), ("", "ε"), ("", "whose numbers"), ("", "vulnerable"), ("", "found by PGD"),
                   ("Found, by minimum distortion", "below ε/2"), ("Found, by minimum distortion", "ε/2 to 0.9 ε"),
                   ("Found, by minimum distortion", "0.9 ε to ε"), ("", "exact")], left=3)
    series = {}
    for name in ROWS:
        row, ours = rows.named(name), data["rows"].get(name)
        if not ours:
            table.add("plumb", row.network, row.eps, f"Plumb: {NOT_YET}", *[""] * 6)
            continue
        samples, eps = ours["samples"], float(row.eps)
        parts = [[one for one in samples if low * eps <= one["upper"] < high * eps]
                 for low, high in ((0, 0.5), (0.5, 0.9), (0.9, 2))]
        table.add("plumb", row.network, row.eps, f"Plumb, {row.weights}", len(samples),
                  sum(one["found"] for one in samples), *map(rate, parts), sum(one["exact"] for one in samples))
        series[f"{row.label}, ε = {row.eps}"] = [((k + 0.5) * BIN, found / many)
                                                 for k, (many, found) in bins(samples).items()]
    chart = Chart("pgd-misses", charts.lines("pgd-misses", {"": series}, "minimum l∞ distortion, bins of 0.01",
                                             "PGD's success rate", limits=(-0.05, 1.05)),
                  "Share of vulnerable samples for which PGD with one random start succeeds, by minimum distortion.")
    return Section(NAME, TITLE, WHERE, tables=[table], charts=[chart] if any(series.values()) else [], notes=[
        "The paper gives this as a picture only. What it says of it: PGD is very successful where the minimum "
        "distortion is small; its success rate declines as the distortion approaches ε; and for the same distortion "
        "it succeeds more often on the network that was trained for the smaller ε.",
        "Samples that are misclassified as they are, are left out. Of 0.1, the paper's own weights; of the others, "
        "stand-ins. Exact: the minimum is known to a hundredth; the others lie in the bin of their nearest witness."])


def complaints(data, truth):
    for name in ROWS:
        ours = data["rows"].get(name)
        if not ours:
            yield f"{name}: not measured"
            continue
        for one in ours["samples"]:
            if not 0 <= one["lower"] <= one["upper"] <= float(ours["eps"]) * 1.0001:
                yield f"{name}: sample {one['sample']} is vulnerable, but {one}"
    if not any(ours["samples"] for ours in data["rows"].values()):
        yield "no network had a vulnerable sample"
