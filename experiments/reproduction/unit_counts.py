"""Stable and unstable units and eliminated labels, by bounds alone: means over the first samples.

Each command handles a few samples, so that an interruption loses little and all cores have work.
"""

TOGETHER = 5  # samples per command
KINDS = ("active", "inactive", "unstable")


def unit_counts(plumb, network, dataset, epsilons, samples, method):
    """{epsilon: means}."""
    questions = {eps: [("bounds", network, dataset, "--eps", eps, "--samples", f"{k}:{min(k + TOGETHER, samples)}",
                        "--method", method, "--threads", 1) for k in range(0, samples, TOGETHER)] for eps in epsilons}
    answers = iter(plumb.measure_all([question for some in questions.values() for question in some]))
    return {eps: means([line for _ in some for line in next(answers) if "sample" in line])
            for eps, some in questions.items()}


def means(lines):
    mean = lambda values: sum(values) / len(lines)
    return {"samples": len(lines), "total": sum(layer["units"] for layer in lines[0]["layers"]),
            **{kind: mean(layer[kind] for line in lines for layer in line["layers"]) for kind in KINDS},
            "labels_eliminated": mean(line["labels_eliminated"] for line in lines),
            "mean_seconds": mean(line["seconds"] for line in lines)}
