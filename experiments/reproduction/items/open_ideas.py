"""Measures the ideas that the paper's discussion leaves open: input splitting, bounds between intervals and linear
programs, and cuts for ReLUs whose inputs are affine."""

from .. import rows
from ..section import NOT_YET, Section, Table, number, percent, seconds
from ..unit_counts import unit_counts
from .ablation import figures

NAME, TITLE = "open-ideas", "The discussion's open ideas"
WHERE = "section 6 (discussion), section 4.2, appendix A.1"
SPLITS = {"units": ("--split", "unit"), "the input region": ("--split", "input")}
CUTS = {"with cuts": (), "without": ("--no-cuts",)}
SEARCHES = {  # the idea, the question, the network, the region, and the variants to compare
    "split-ball": ("splitting", "l∞ ball, 784 dimensions", "mnist_rsl18a", "0.1", SPLITS),
    "split-blur": ("splitting", "any 3×3 blur, 9 parameters", "mnist_nor_mlp_b", "blur:3x3", SPLITS),
    "split-contrast": ("splitting", "contrast from 0 to 3, 1 parameter", "mnist_wk17a", "contrast:0,3", SPLITS),
    "cuts": ("cuts", "l∞ ball", "mnist_rsl18a", "0.1", CUTS),
}
LADDER = {"interval": "interval", "linear": "linear (Fast-Lin kind)", "alpha": "linear, optimised slopes", "lp": "LP"}
LADDER_ROWS = ("lpd-cnna-0.1", "adv-mlpb-0.1", "sdpd-mlpa-0.1")


def run(context, data):
    data.setdefault("searches", {})
    data.setdefault("ladder", {})
    for key, (_, _, network, region, variants) in SEARCHES.items():
        for variant, options in variants.items():
            context.say(f"{key}, {variant}")
            results = context.results(
                f"{key}.{variant.replace(' ', '-')}", network, "MNIST", region, context.size.samples, *options,
                "--timeout", context.size.limit)
            if results:
                data["searches"][f"{key}: {variant}"] = figures(list(results.values())) | {"limit": context.size.limit}
            context.keep()
    for row in map(rows.named, LADDER_ROWS):
        context.say(f"bounds on {row.name}")
        for method in LADDER:
            data["ladder"].setdefault(row.name, {})[method] = unit_counts(
                context.plumb, row.network, row.dataset, [row.eps], context.size.samples, method)[row.eps]
        context.keep()


def section(data):
    table = Table([("", "Idea"), ("", "Question"), ("", "Network"), ("", "Variant"), ("", "Mean time / s"),
                   ("", "Nodes, mean"),
                   ("", "Timed out"), ("", "samples")], left=4, caption="Splitting and cuts: Plumb's search with each.")
    for key, (idea, question, network, _, variants) in SEARCHES.items():
        for variant in variants:
            ours = data["searches"].get(f"{key}: {variant}")
            cells = ((seconds(ours["total"]), number(float(ours["nodes_mean"]), 1), percent(ours["timed_out"]),
                      f"{ours['samples']:,}") if ours else (NOT_YET, "", "", ""))
            table.add("plumb", idea, question, network, variant, *cells)
    ladder = Table([("", "Network"), ("", "Bounds"), ("", "Unstable units"), ("", "Labels eliminated"), ("", "Seconds"),
                    ("", "samples")], left=2, caption="Bounds between intervals and linear programs: means a sample.")
    for row in map(rows.named, LADDER_ROWS):
        for method, label in LADDER.items():
            ours = data["ladder"].get(row.name, {}).get(method)
            cells = ((number(float(ours["unstable"]), 1), f"{ours['labels_eliminated']:.2f}", seconds(ours["mean_seconds"]),
                      f"{ours['samples']:,}") if ours else (NOT_YET, "", "", ""))
            ladder.add("plumb", f"{row.label}: {row.network}", label, *cells)
    limits = sorted({f"{ours['limit']:g} s" for ours in data["searches"].values()})
    return Section(NAME, TITLE, WHERE, tables=[table, ladder], notes=[
        f"The paper has no numbers for these. Limit {', '.join(limits)} a sample; a sample that met it counts with it.",
        "Splitting: “Splitting on the input domain could be particularly useful where the split selected tightens "
        "bounds sufficiently …”. A node is a subproblem of the search, or a piece of the region.",
        "Bounds: “Using one of these procedures in addition to IA and LP has the potential to further reduce build "
        "times.”",
        "Cuts: “However, if x is an affine expression …, the formulation is no longer sharp, and we can add more "
        "constraints using bounds we have on z …”. Plumb's search adds them where its tree grows; samples that small "
        "trees decide never see one."])


def complaints(data, truth):
    for key, (*_, variants) in SEARCHES.items():
        verdicts = []
        for variant in variants:
            ours = data["searches"].get(f"{key}: {variant}")
            if not ours:
                yield f"{key}: {variant}: not measured"
                continue
            verdicts.append(ours["verdicts"])
        for sample in set.intersection(*(set(v) for v in verdicts)) if verdicts else ():
            if {v[sample] for v in verdicts} >= {"holds", "violated"}:
                yield f"{key}: sample {sample} holds and is violated"
    for name in LADDER_ROWS:
        steps = data["ladder"].get(name, {})
        if set(steps) != set(LADDER):
            yield f"{name}: bounds are missing"
            continue
        if steps["interval"]["unstable"] < steps["linear"]["unstable"] or steps["linear"]["unstable"] < max(
                steps["alpha"]["unstable"], steps["lp"]["unstable"]):
            yield f"{name}: better bounds leave more units unstable: {steps}"
        if steps["interval"]["labels_eliminated"] > steps["linear"]["labels_eliminated"]:
            yield f"{name}: linear bounds eliminate fewer labels than intervals"
