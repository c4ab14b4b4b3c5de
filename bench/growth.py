#!/usr/bin/env python3
"""How time and memory grow: against width, depth, inputs, epsilon, undecided units, samples and threads.

    bench/growth.py [make] [measure] [plot] [--only SERIES ...] [--jobs N] [--most-threads N] [--out build/growth]

make:    writes the generated networks and questions into OUT/networks (needs the wheels of the tests)
measure: runs every series and writes OUT/results.json (needs nothing but python3, so that OUT can travel to a machine
         with many cores)
plot:    prints one table per series, with the exponent of its growth between neighbours, and draws docs/growth.svg

Without a step, all three. Generated networks are dense, with random weights (He et al.), and the same for everybody.
Bounds are those of a box around a random point. A whole decision is the question whether an output of such a network
goes below a threshold that lies between what linear bounds prove and what an attack reaches, at 5 % of the way from
the attack, with a limit of work. Series about real networks need $PLUMB_SHARED. Decisions count user seconds, all
others seconds by the clock, the best of three runs. With --jobs, so many series are measured at a time, each on one
thread; those about threads always run alone.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
MNIST = f"mnist:{SHARED / 'data/mnist'}"
STEPS = ("make", "measure", "plot")
WORK = 30_000_000_000  # limit of a decision: a few seconds, the same however busy the machine is
REPETITIONS = 3

# series: (what grows, its values, width, depth, inputs, radius) of generated networks; the value replaces its namesake
BOUNDS = {
    "bounds, width": ("width", (16, 32, 64, 128, 256, 512, 1024), 0, 4, 64, 0.01),
    "bounds, depth": ("depth", (1, 2, 4, 8, 16, 32), 128, 0, 64, 0.003),
    "bounds, inputs": ("inputs", (4, 16, 64, 256, 1024, 4096), 128, 4, 0, 0.01),
    "bounds, epsilon": ("radius", (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1), 256, 4, 64, 0),
}
DECISIONS = {
    "decision, width": ("width", (8, 16, 32, 64, 128, 256), 0, 2, 32, 0.1),
    "decision, depth": ("depth", (1, 2, 3, 4, 6, 8), 32, 0, 32, 0.06),
    "decision, inputs": ("inputs", (4, 8, 16, 32, 64, 128, 256), 48, 2, 0, 0.1),
    "decision, epsilon": ("radius", (0.02, 0.03, 0.05, 0.07, 0.1, 0.15), 64, 2, 32, 0),
}
SEEDS = 5  # generated networks per point of a decision: the median counts
EPSILONS = {"mnist_wk17a": ("0.02", "0.05", "0.1", "0.12", "0.15"),
            "mnist_adv_mlp_b_eps0.1": ("0.02", "0.05", "0.08", "0.1", "0.12"),
            "mnist_rsl18a": ("0.02", "0.05", "0.08", "0.1", "0.12")}
SAMPLES = (100, 300, 1000, 3000, 10000)
THREADS = (1, 2, 4, 8, 16)


# ---- Generated networks


def shape_of(series, value):
    grows, _, width, depth, inputs, radius = series
    shape = {"width": width, "depth": depth, "inputs": inputs, "radius": radius, grows: value}
    return shape["width"], shape["depth"], shape["inputs"], shape["radius"]


def file_name(width, depth, inputs, radius, seed):
    return f"w{width}-d{depth}-n{inputs}-r{radius}-s{seed}"


def make(out):
    import numpy

    folder = out / "networks"
    folder.mkdir(parents=True, exist_ok=True)
    for table, seeds in ((BOUNDS, 1), (DECISIONS, SEEDS)):
        for series in table.values():
            for value in series[1]:
                for seed in range(seeds):
                    make_question(numpy, folder, *shape_of(series, value), seed)


def make_question(numpy, folder, width, depth, inputs, radius, seed):
    name = file_name(width, depth, inputs, radius, seed)
    random = numpy.random.default_rng([width, depth, inputs, seed])
    sizes = [inputs] + [width] * depth + [10]
    weights = [random.normal(0, math.sqrt(2 / a), (a, b)).astype("float32") for a, b in zip(sizes, sizes[1:])]
    biases = [random.normal(0, 0.1, b).astype("float32") for b in sizes[1:]]
    centre = random.uniform(0.2, 0.8, inputs)
    write_network(folder / f"{name}.onnx", weights, biases)
    (folder / f"{name}.box").write_text("".join(f"{x - radius!r},{x + radius!r}\n" for x in centre.tolist()))
    (folder / f"{name}.reached").write_text(repr(least_by_descent(numpy, weights, biases, centre, radius)))


def write_network(path, weights, biases):
    from onnx import TensorProto, helper, numpy_helper, save

    nodes, tensors, value = [], [], "x"
    for k, (w, b) in enumerate(zip(weights, biases)):
        tensors += [numpy_helper.from_array(w, f"w{k}"), numpy_helper.from_array(b, f"b{k}")]
        nodes.append(helper.make_node("Gemm", [value, f"w{k}", f"b{k}"], [f"z{k}"]))
        value = f"z{k}"
        if k + 1 < len(weights):
            nodes.append(helper.make_node("Relu", [value], [f"r{k}"]))
            value = f"r{k}"
    graph = helper.make_graph(nodes, "growth", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, len(weights[0])])],
                              [helper.make_tensor_value_info(value, TensorProto.FLOAT, [1, 10])], tensors)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def least_by_descent(numpy, weights, biases, centre, radius):
    """The least value of output 0 that projected gradient descents reach."""
    random = numpy.random.default_rng(7)
    points = centre + random.uniform(-radius, radius, (64, len(centre)))
    least = math.inf
    for step in range(200):
        values, masks = points, []
        for w, b in zip(weights[:-1], biases[:-1]):
            z = values @ w + b
            masks.append(z > 0)
            values = numpy.maximum(z, 0)
        least = min(least, float((values @ weights[-1] + biases[-1])[:, 0].min()))
        gradient = numpy.tile(weights[-1][:, 0], (len(points), 1))
        for w, mask in zip(reversed(weights[:-1]), reversed(masks)):
            gradient = (gradient * mask) @ w.T
        points = numpy.clip(points - radius * 0.97 ** step * numpy.sign(gradient), centre - radius, centre + radius)
    return least


# ---- Measurements: lists of {"x", "seconds", "megabytes", ...}


def run(plumb, *arguments):
    """(the lines of JSON, seconds by the clock, user seconds, peak megabytes)"""
    command = [plumb, *map(str, arguments)]
    with tempfile.TemporaryFile("w+") as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 2):
            raise RuntimeError(f"{' '.join(command)} ended with exit code {process.returncode}")
        output.seek(0)
        lines = [json.loads(line) for line in output if line.startswith("{")]
    return lines, seconds, used.ru_utime, used.ru_maxrss / 1024


def best(runs):
    return min(runs, key=lambda result: result["seconds"])


def bounds_series(plumb, out, series):
    points = []
    for value in series[1]:
        base = out / "networks" / file_name(*shape_of(series, value), 0)
        runs = []
        for _ in range(REPETITIONS):
            [line, *_], _, _, megabytes = run(plumb, "bounds", f"{base}.onnx", f"{base}.box", "--threads", 1, "--json", "-q")
            runs.append({"x": value, "seconds": line["seconds"], "megabytes": megabytes,
                         "undecided": sum(layer["unstable"] for layer in line["layers"])})
        points.append(best(runs))
    return points


def threshold_of(plumb, base):
    """Between what linear bounds prove about output 0 and what the attack reached."""
    reached = float(pathlib.Path(f"{base}.reached").read_text())
    [line, *_], *_ = run(plumb, "range", f"{base}.onnx", f"{base}.box", "--objective", "Y_0", "--engine", "bounds",
                           "--threads", 1, "--json", "-q")
    proven = line["minimum"]["lower"]
    return reached - 0.05 * (reached - proven)


def decision_series(plumb, out, series):
    points = []
    for value in series[1]:
        results = []
        for seed in range(SEEDS):
            base = out / "networks" / file_name(*shape_of(series, value), seed)
            question = write_question(base, threshold_of(plumb, base))
            [line, *_], _, seconds, megabytes = run(plumb, "verify", f"{base}.onnx", question, "--split", "unit",
                                                    "--threads", 1, "--work-limit", WORK, "--json", "-q")
            results.append({"seconds": seconds, "megabytes": megabytes, "decided": line["verdict"] != "unknown",
                            "subproblems": line["statistics"]["nodes"],
                            "undecided": sum(layer["unstable"] for layer in line["statistics"]["layers"])})
        results.sort(key=lambda result: result["seconds"])
        points.append(results[SEEDS // 2] | {"x": value, "decided": sum(result["decided"] for result in results)})
    return points


def write_question(base, threshold):
    path = pathlib.Path(f"{base}.vnnlib")
    box = [line.split(",") for line in pathlib.Path(f"{base}.box").read_text().split()]
    lines = [f"(declare-const X_{i} Real)\n(assert (>= X_{i} {decimal(low)}))\n(assert (<= X_{i} {decimal(high)}))"
             for i, (low, high) in enumerate(box)]
    lines += [f"(declare-const Y_{k} Real)" for k in range(10)] + [f"(assert (<= Y_0 {decimal(threshold)}))"]
    path.write_text("\n".join(lines) + "\n")
    return path


def decimal(number):
    return f"{float(number):.17f}"


def epsilon_series(plumb, network, epsilons):
    points = []
    for epsilon in epsilons:
        lines, _, seconds, megabytes = run(plumb, "verify", SHARED / f"networks/{network}.onnx", "--data", MNIST,
                                           "--samples", "0:30", "--eps", epsilon, "--threads", 1, "--work-limit", WORK, "--json",
                                           "-q")
        lines = [line for line in lines if "verdict" in line]
        points.append({"x": float(epsilon), "seconds": seconds, "megabytes": megabytes,
                       "decided": sum(line["verdict"] != "unknown" for line in lines),
                       "subproblems": sum(line["statistics"]["nodes"] for line in lines)})
    return points


def samples_series(plumb, threads):
    points = []
    for samples in SAMPLES:
        runs = []
        for _ in range(REPETITIONS if samples < 10000 else 1):
            _, seconds, _, megabytes = run(plumb, "verify", SHARED / "networks/mnist_wk17a.onnx", "--data", MNIST,
                                        "--samples", f"0:{samples}", "--eps", "0.1", "--threads", threads, "--json", "-q")
            runs.append({"x": samples, "seconds": seconds, "megabytes": megabytes})
        points.append(best(runs))
    return points


def threads_series(plumb, most, *question):
    points = []
    for threads in (n for n in THREADS if n <= most):
        _, seconds, _, megabytes = min((run(plumb, *question, "--threads", threads, "--json", "-q")
                                     for _ in range(REPETITIONS)), key=lambda result: result[1])
        points.append({"x": threads, "seconds": seconds, "megabytes": megabytes})
    return points


def sample_question(network, sample, epsilon):
    return ("verify", SHARED / f"networks/{network}.onnx", "--data", MNIST, "--sample", sample, "--eps", epsilon,
            "--timeout", 120)


def all_series(plumb, out, most_threads):
    """name: a function that measures it"""
    series = {name: (lambda one=one: bounds_series(plumb, out, one)) for name, one in BOUNDS.items()}
    series |= {name: (lambda one=one: decision_series(plumb, out, one)) for name, one in DECISIONS.items()}
    if not SHARED.is_dir():
        print(f"growth: {SHARED} is not there (set PLUMB_SHARED): real networks are left out")
        return series
    for network, epsilons in EPSILONS.items():
        series[f"samples 0:30 of {network}, epsilon"] = lambda n=network, e=epsilons: epsilon_series(plumb, n, e)
    series["mnist_wk17a, samples"] = lambda: samples_series(plumb, 1)
    threads = {
        "2,000 samples of mnist_wk17a": ("verify", SHARED / "networks/mnist_wk17a.onnx", "--data", MNIST, "--samples",
                                         "0:2000", "--eps", "0.1"),
        "mnist_rsl18a 7": sample_question("mnist_rsl18a", 7, "0.1"),
        "mnist_nor_mlp_b 34": sample_question("mnist_nor_mlp_b", 34, "0.05"),
        "mnist_adv_mlp_b 96": sample_question("mnist_adv_mlp_b_eps0.1", 96, "0.1"),
    }
    for name, question in threads.items():
        series[f"{name}, threads"] = lambda q=question: threads_series(plumb, most_threads, *q)
    return series


def measure(plumb, out, only, most_threads, jobs):
    path = out / "results.json"
    results = json.loads(path.read_text()) if path.is_file() else {}
    series = {name: measured for name, measured in all_series(plumb, out, most_threads).items()
              if not only or any(word in name for word in only)}
    on_one_thread = [name for name in series if not name.endswith(", threads")]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(series[name]): name for name in on_one_thread}
        for done in concurrent.futures.as_completed(running):
            record(results, running[done], done.result(), path)
    for name in (name for name in series if name not in on_one_thread):
        record(results, name, series[name](), path)


def record(results, name, points, path):
    results[name] = points
    print(f"{name}: {points[-1]['seconds']:.3f} s at the largest", flush=True)
    path.write_text(json.dumps(results, indent=1))


# ---- What is shown


def exponents(points, key):
    """Between neighbours: the power of x with which the values grow."""
    grown = [None]
    for a, b in zip(points, points[1:]):
        sensible = a[key] > 0 and b[key] > 0
        grown.append(math.log(b[key] / a[key]) / math.log(b["x"] / a["x"]) if sensible else None)
    return grown


def show(results):
    for name, points in results.items():
        print(f"\n{name}")
        more = [key for key in ("undecided", "subproblems", "decided") if key in points[0]]
        print("".join(f"{head:>13}" for head in (re.split(", ", name)[-1], "seconds", "x^", "MB", *more)))
        for point, power in zip(points, exponents(points, "seconds")):
            cells = [f"{point['x']:g}", f"{point['seconds']:.4f}", "" if power is None else f"{power:.1f}",
                     f"{point['megabytes']:.0f}", *(f"{point[key]:,}" for key in more)]
            print("".join(f"{cell:>13}" for cell in cells))


PANELS = ("width", "depth", "inputs", "epsilon", "samples", "threads")


def plot(results, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "growth", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3,
                                "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(11, 6.5))
    for axis, what in zip(axes.flat, PANELS):
        for name, points in results.items():
            label, x = name.rsplit(", ", 1)
            if x == what:
                axis.plot([p["x"] for p in points], [p["seconds"] for p in points], marker="o", markersize=3, label=label)
        axis.set(xscale="log", yscale="log", xlabel=what, ylabel="seconds")
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, facecolor="white")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    parser.add_argument("--plumb", default=str(REPOSITORY / "build/release/plumb"))
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most-threads", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=pathlib.Path, default=REPOSITORY / "build/growth")
    options = parser.parse_args()
    steps = options.steps or STEPS
    if not set(steps) <= set(STEPS):
        parser.error(f"the steps are {', '.join(STEPS)}")
    if "make" in steps:
        make(options.out)
    if "measure" in steps:
        measure(options.plumb, options.out, options.only, options.most_threads, options.jobs)
    if "plot" in steps:
        results = json.loads((options.out / "results.json").read_text())
        show(results)
        plot(results, REPOSITORY / "docs/growth.svg")


if __name__ == "__main__":
    main()
