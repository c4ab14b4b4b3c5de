"""Figures 1 and 2: exact minimum distortions to random target labels, beside what bounds alone prove, with seconds."""

import random
import statistics

from .. import charts
from ..section import NOT_YET, Chart, Section, Table, seconds

NAME, TITLE = "distortion", "Minimum targeted distortion"
WHERE = "figures 1 and 2 (fig:perf-time-comparison, fig:perf-min-adv-distortion)"
NORMS = ("linf", "l1", "l2")
BOUNDS = {"interval": "interval", "linear": "interval,linear", "alpha": "interval,linear,alpha",
          "lp": "interval,linear,alpha,lp"}
METHODS = {"exact": "exact (search)", "interval": "interval", "linear": "linear (Fast-Lin)",
           "alpha": "linear, optimised slopes", "lp": "LP (LP-full)"}
STANDS = {"mnist_mlp_2x20": "MLP-2×[20]: a stand-in, trained for this project",
          "mnist_mlp_3x20": "MLP-3×[20]: a stand-in, trained for this project",
          "mnist_nor_mlp_b": "a wider one, 2×[100], not in the paper"}
SHORT = {"mnist_mlp_2x20": "2×20", "mnist_mlp_3x20": "3×20", "mnist_nor_mlp_b": "2×100"}


def options_of(method, sample, target, norm, limit):
    """The results of plumb distortion, for the exact answer or for the radius that bounds prove."""
    bounds = () if method == "exact" else ("--engine", "bounds", "--tighten", BOUNDS[method], "--gap", "1e-3")
    return ("--sample", sample, "--target", target, "--norm", norm, "--timeout", limit, "--threads", 1, *bounds)


def targets_of(labels):
    """A random other label for each sample, the same in every run."""
    chance = random.Random(1)
    return [chance.choice([t for t in range(10) if t != label]) for label in labels]


def run(context, data):
    data.setdefault("cases", {})
    data["limit"] = context.size.limit
    for network in context.size.networks:
        lines = context.plumb.measure("bounds", network, "MNIST", "--samples", f"0:{context.size.samples}", "--eps",
                                      "0", "--method", "interval")
        targets = targets_of([line["label"] for line in lines[:-1]])
        for norm in NORMS:
            context.say(f"{network} {norm}")
            cases = [(method, sample, target) for sample, target in enumerate(targets) for method in METHODS]
            answers = context.plumb.measure_all([
                ("distortion", network, "MNIST", *options_of(method, sample, target, norm, context.size.limit))
                for method, sample, target in cases])
            data["cases"][f"{network} {norm}"] = [
                {"method": method, "sample": sample, "target": target, "lower": answer["lower"],
                 "upper": answer["upper"],
                 "exact": answer["exact"], "reason": answer["reason"], "seconds": answer["seconds"]}
                for (method, sample, target), (answer,) in zip(cases, answers)]
            context.keep()


def means(cases, method):
    """Mean distortion (exact: of the witnesses; otherwise: what is proven), mean seconds, and how many are exact."""
    ours = [case for case in cases if case["method"] == method]
    values = [case["upper"] if method == "exact" else case["lower"] for case in ours]
    if not ours or None in values:
        return None
    seconds_each = statistics.mean(case["seconds"] for case in ours)
    return statistics.mean(values), seconds_each, sum(case["exact"] for case in ours)


def section(data):
    table = Table([("", "Network"), ("", "norm"), *((METHODS[m], what) for m in METHODS for what in ("mean", "s")),
                   ("", "exact"), ("", "samples")], left=2)
    for network in STANDS:
        for norm in NORMS:
            cases = data["cases"].get(f"{network} {norm}")
            if not cases:
                table.add("plain", network, norm, NOT_YET, *[""] * (2 * len(METHODS) + 1))
                continue
            found = [means(cases, method) for method in METHODS]
            cells = [cell for mean in found for cell in ((f"{mean[0]:.4g}", seconds(mean[1])) if mean else ("—", "—"))]
            table.add("plumb", network, norm, *cells, found[0][2] if found[0] else 0, len(cases) // len(METHODS))
    return Section(NAME, TITLE, WHERE, tables=[table], charts=list(figures(data["cases"])), notes=[
        *(f"{network}: {what}." for network, what in STANDS.items()),
        "The paper gives these results as pictures only. What it says of them: two to three orders of magnitude "
        "faster than Reluplex; under l∞ the best certified lower bound is less than half of the true minimum "
        "distortion; the gap is significant in all cases and increases for deeper networks; means over 100 samples.",
        "Exact: the mean of the witnesses' distances; a sample counts as exact if nothing unsafe is proven to lie "
        "nearer than a millionth less. The others: the largest radius at which these bounds alone prove the target "
        f"away. Limit {data['limit']:g} s each: where it is met, as LP does first, more could be proven."])


def figures(all_cases):
    networks = [n for n in STANDS if any(key.startswith(n + " ") for key in all_cases)]
    if not networks:
        return
    for which, name, what in ((0, "distortion-bounds", "share of the exact distortion"),
                              (1, "distortion-seconds", "mean seconds")):
        panels = {}
        for norm in NORMS:
            panels[norm] = {}
            for method, label in METHODS.items():
                found = [(means(all_cases[f"{n} {norm}"], method), means(all_cases[f"{n} {norm}"], "exact"))
                         if f"{n} {norm}" in all_cases else (None, None) for n in networks]
                panels[norm][label] = [mean[which] / (exact[0] if which == 0 and exact[0] else 1) if mean and exact
                                       else None
                                       for mean, exact in found]
        groups = [SHORT[network] for network in networks]
        yield Chart(name, charts.bars(name, panels, groups, list(METHODS.values()), what, log=which == 1),
                    "Certified lower bounds as shares of the exact minimum distortion (figure 2)." if which == 0 else
                    "Mean seconds a sample, logarithmic (figure 1).")


def complaints(data, truth):
    for network in STANDS:
        for norm in NORMS:
            cases = data["cases"].get(f"{network} {norm}", [])
            if {case["method"] for case in cases} != set(METHODS):
                yield f"{network} {norm}: methods are missing"
                continue
            for exact in (case for case in cases if case["method"] == "exact"):
                same = [case for case in cases if case["sample"] == exact["sample"] and case["method"] != "exact"]
                proven = {case["method"]: case["lower"] for case in same}
                late = {case["method"] for case in same if case["reason"] == "time limit"}
                if exact["upper"] is None or not 0 <= exact["lower"] <= exact["upper"]:
                    yield f"{network} {norm} sample {exact['sample']}: {exact}"
                elif max(proven.values()) > exact["upper"]:
                    yield f"{network} {norm} sample {exact['sample']}: more is proven than its witness allows: {proven}"
                # Each method includes the one before it. Radii are measured to within a thousandth unless time ran out.
                elif any(proven[worse] > proven[better] * 1.002
                         for worse, better in (("interval", "linear"), ("linear", "alpha")) if better not in late):
                    yield f"{network} {norm} sample {exact['sample']}: better bounds prove less: {proven}"
