"""Table 7: SDPd-MLPA with its smallest weights set to zero, layer by layer."""

import onnx

import sparsify

from .. import numbers, rows
from ..section import NOT_YET, Section, Table, of_paper, percent, seconds

NAME, TITLE = "sparsification", "Sparsification"
WHERE = numbers.where(NAME)


def run(context, data):
    row = rows.named("sdpd-mlpa-0.1")
    data.setdefault("rows", {})
    for name, theirs in numbers.rows(NAME).items():
        context.say(name)
        network, layers = written(context, row, name, theirs)
        error, = context.plumb.measure("eval", network, row.dataset)
        results = context.results(
            f"sparse.{name}", network, row.dataset, row.eps, context.size.samples, "--timeout", context.size.limit)
        lines = list(results.values())
        if lines:
            data["rows"][name] = {
                "samples": len(lines), "limit": context.size.limit, "zeroed": [layer.zeroed for layer in layers],
                "test_error": error["error"],
                "lower": sum(line["verdict"] == "violated" for line in lines) / len(lines),
                "upper": sum(line["verdict"] != "holds" for line in lines) / len(lines),
                "mean_seconds": sum(line["seconds"] for line in lines) / len(lines),
                "timed_out": sum(line["verdict"] == "unknown" for line in lines) / len(lines)}
        context.keep()


def written(context, row, name, theirs):
    """The file of the sparse network, as sparsify.py writes it. The bytes are the same every time."""
    dense = onnx.load(context.plumb.network(row.network))
    model, layers = sparsify.sparsified(dense, [float(theirs["f1"]), float(theirs["f2"])])
    path = context.out / "networks" / f"{row.network}-{name}.onnx"
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_bytes() != model.SerializeToString():
        onnx.save(model, path)
    return path, layers


def section(data):
    table = Table([("Fraction zeroed", "f1"), ("Fraction zeroed", "f2"), ("", "whose numbers"), ("", "Test error"),
                   ("Bounds on adversarial error", "lower"), ("Bounds on adversarial error", "upper"),
                   ("", "Mean time / s"), ("", "Fraction timed out"), ("", "samples")], left=3)
    for name, theirs in numbers.rows(NAME).items():
        table.add("paper", theirs["f1"], theirs["f2"], "paper",
                  *(of_paper(theirs[k]) for k in ("test_error", "lower", "upper")),
                  f"{theirs['seconds']:.1f}", f"{theirs['timed_out']:.4f}", "10,000")
        ours = data["rows"].get(name)
        if not ours:
            table.add("plumb", theirs["f1"], theirs["f2"], f"Plumb: {NOT_YET}", *[""] * 6)
            continue
        table.add("plumb", theirs["f1"], theirs["f2"], "Plumb, own",
                  *(percent(ours[k]) for k in ("test_error", "lower", "upper")),
                  seconds(ours["mean_seconds"]), f"{ours['timed_out']:.4f}", f"{ours['samples']:,}")
    limits = sorted({f"{ours['limit']:g} s" for ours in data["rows"].values()})
    return Section(NAME, TITLE, WHERE, tables=[table], notes=[
        f"SDPd-MLPA is mnist_rsl18a, the paper's own weights, at 0.1; limit {', '.join(limits)} a sample (the paper: "
        "1200 s). Test errors are over all 10,000 samples, adversarial errors over those of the row.",
        "experiments/sparsify.py makes such networks from any ONNX file."])


def complaints(data, truth):
    previous = -1
    for name, theirs in numbers.rows(NAME).items():
        ours = data["rows"].get(name)
        if not ours:
            yield f"{name}: not measured"
            continue
        if not 0 <= ours["lower"] <= ours["upper"] <= 1:
            yield f"{name}: bounds out of order"
        # The same weights and the same recipe must give the paper's test errors, to the digit it prints.
        if abs(100 * ours["test_error"] - theirs["test_error"]) > 0.0101:
            yield f"{name}: test error {ours['test_error']:.4f}, the paper has {theirs['test_error']} %"
        if sum(ours["zeroed"]) <= previous:
            yield f"{name}: no more weights are zero than in the row before"
        previous = sum(ours["zeroed"])
