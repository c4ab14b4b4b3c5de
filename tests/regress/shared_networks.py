#!/usr/bin/env python3
"""Evaluates every network of the shared folder with `plumb eval` and compares with independent implementations.

    shared_networks.py --plumb PATH [--filter WORD] [--every N]

For each .onnx and .onnx.gz under networks/ and vnncomp/: compares the outputs for 100 random inputs, in float32 and in
double, with ONNX Runtime (float32) and with ONNX's definitions in double. Then checks known facts about the networks:
test errors, ReLU counts. Prints one line per file, how many were imported and refused, and `N passed, N failed`. The
shared folder is $PLUMB_SHARED, or ../shared beside the repository. Exit code 77 if it is absent, 1 on failure.
"""

import argparse
import collections
import csv
import gzip
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib
from functools import partial

# Two processes run side by side, with one thread each.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import onnx

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))

import evaluators
from models import input_shapes

SAMPLES = 100
NO_SHARED_FOLDER = 77

# Two float32 evaluations of one network. In measurements ONNX Runtime is off by at most 2.1e-6 of the largest output.
FLOAT_TOLERANCE = 1e-5

# Double against float32: they differ by the rounding of float32. Plumb's own float32 evaluation of the same inputs
# measures it: it makes as many roundings of the same magnitude, in another order, so that the largest error over 100
# inputs is the same up to a small factor. The floor is for networks where either evaluation happens to round hardly at
# all.
ROUNDING_FACTOR, ROUNDING_FLOOR = 8, 1e-6

# Double against double, relative to the largest value inside the network. A sum of n <= 10^4 terms is off by at most n
# u sum|terms|, and in practice by sqrt(n) u. These networks amplify a relative rounding error at most a hundredfold
# (measured: float32 is off by less than 100 u). That gives 1e-13 to 1e-12. Float32 leaking in would give 1e-7.
DOUBLE_TOLERANCE = 1e-12

# index.csv was measured during training, on other hardware. ONNX Runtime itself differs from it by one sample of the
# 10,000 on six of the networks.
INDEX_SLACK = 1

Outcome = collections.namedtuple("Outcome", "name verdict text")


def all_networks():
    found = [p for folder in ("networks", "vnncomp") for p in (SHARED / folder).rglob("*")
             if p.name.endswith((".onnx", ".onnx.gz"))]
    return sorted(found)


def content_of(path):
    content = path.read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def random_inputs(path, model):
    """Uniform pixels for images. Otherwise standard normal values, half of the samples ten times smaller (some networks
    saturate on the others). The seed depends only on the file's name."""
    shape = next(iter(input_shapes(model).values()))
    count = sum(int(np.prod(s)) for s in input_shapes(model).values())
    random = np.random.default_rng(zlib.crc32(path.name.encode()))
    image = count == 784 or (len(shape) == 4 and count > 1000)
    if image:
        return random.uniform(0, 1, (SAMPLES, count)).astype(np.float32)
    scale = np.where(np.arange(SAMPLES) % 2, 0.1, 1.0)[:, None]
    return (scale * random.standard_normal((SAMPLES, count))).astype(np.float32)


def run_plumb(plumb, *arguments):
    command = [plumb, *(str(a) for a in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def outputs_of(plumb, path, data, precision, folder):
    target = folder / f"{precision}.npy"
    run = run_plumb(plumb, "eval", path, "--data", f"npy:{data}", "--precision", precision, "--threads", 1,
                    "--outputs", target)
    if run.returncode != 0:
        raise RuntimeError(f"eval --precision {precision}: exit code {run.returncode}: {run.stderr.strip()}")
    return np.load(target)


def check_network(arguments):
    plumb, path = arguments
    name = str(path.relative_to(SHARED))
    try:
        content = content_of(path)
        if not content:
            return check_refusal(plumb, path, name)
        with tempfile.TemporaryDirectory() as folder:
            return compare(plumb, path, name, onnx.load_from_string(content), pathlib.Path(folder))
    except Exception as error:  # a failure on one file must not hide the others
        return Outcome(name, "failed", f"{type(error).__name__}: {error}")


def check_refusal(plumb, path, name):
    run = run_plumb(plumb, "inspect", path)
    clear = run.stderr.startswith("plumb: ") and path.name in run.stderr and "empty" in run.stderr
    if run.returncode == 65 and clear and not run.stdout:
        return Outcome(name, "refused", run.stderr.splitlines()[0])
    return Outcome(name, "failed", f"an empty file: exit code {run.returncode}: {run.stderr.strip()}")


def compare(plumb, path, name, model, folder):
    inputs = random_inputs(path, model)
    np.save(folder / "x.npy", inputs)
    runtime = evaluators.runtime_outputs(model, inputs, optimise=True)
    exact, inner = evaluators.double_outputs(model, inputs)
    single = outputs_of(plumb, path, folder / "x.npy", "float32", folder)
    double = outputs_of(plumb, path, folder / "x.npy", "double", folder)
    if not single.shape == double.shape == runtime.shape:
        return Outcome(name, "failed", f"outputs {single.shape} and {double.shape} instead of {runtime.shape}")
    if np.all(np.ptp(runtime, axis=0) == 0):
        return Outcome(name, "failed", "the outputs do not depend on these inputs: choose others")
    largest = np.max(np.abs(runtime))
    rounding = np.max(np.abs(single - double))
    checks = [("float32 - onnxruntime", single - runtime, FLOAT_TOLERANCE * largest),
              ("double - onnxruntime", double - runtime, ROUNDING_FACTOR * rounding + ROUNDING_FLOOR * largest),
              ("double - exact", double - exact, DOUBLE_TOLERANCE * inner)]
    texts, verdict = [], "passed"
    for what, error, limit in checks:
        error = np.max(np.abs(error))
        texts.append(f"{what} {error / largest:.1e}")
        if not error <= limit:
            verdict = "failed"
            texts[-1] += f" > {limit / largest:.1e}"
    return Outcome(name, verdict, ", ".join(texts))


def known_facts():
    """Pairs of a check's name and a function of plumb that returns a problem or None."""
    facts = []
    for network, count in [("mnist_wk17a", 189), ("mnist_rsl18a", 418)]:
        facts.append((f"{network}: {count} errors", partial(errors_problem, network, "mnist", count, 0, "double")))
    for network, count in [("mnist_wk17a", 4804), ("cifar_res_eps8", 107496)]:
        facts.append((f"{network}: {count} ReLUs", partial(relus_problem, network, count)))
    with open(SHARED / "networks" / "index.csv", newline="") as table:
        for row in csv.DictReader(table):
            if not row["test_error_percent"]:
                continue
            expected = round(100 * float(row["test_error_percent"]))
            data = "mnist" if row["dataset"] == "mnist" else "cifar10-jpeg"
            facts.append((f"{row['name']}: {expected} errors by index.csv",
                          partial(errors_problem, row["name"], data, expected, INDEX_SLACK, "float32")))
    return facts


def errors_problem(network, data, expected, slack, precision, plumb):
    kind = "mnist" if data == "mnist" else "cifar10"
    run = run_plumb(plumb, "eval", SHARED / "networks" / f"{network}.onnx", "--data",
                    f"{kind}:{SHARED / 'data' / data}", "--precision", precision, "--threads", 1, "--json")
    if run.returncode != 0:
        return f"exit code {run.returncode}: {run.stderr.strip()}"
    result = json.loads(run.stdout)
    if result["samples"] != 10000 or abs(result["error"] - result["errors"] / 10000) > 1e-12:
        return f"samples {result['samples']}, errors {result['errors']}, error {result['error']}"
    return None if abs(result["errors"] - expected) <= slack else f"{result['errors']} errors"


def relus_problem(network, expected, plumb):
    run = run_plumb(plumb, "inspect", SHARED / "networks" / f"{network}.onnx", "--json")
    if run.returncode != 0:
        return f"exit code {run.returncode}: {run.stderr.strip()}"
    result = json.loads(run.stdout)
    layers = sum(layer["relu_units"] for layer in result["layers"])
    if result["relu_units"] != expected or layers != expected:
        return f"relu_units is {result['relu_units']}, the layers' sum {layers}"
    return None


def check_fact(arguments):
    plumb, index = arguments
    name, problem_of = known_facts()[index]
    try:
        problem = problem_of(plumb)
    except Exception as error:  # as above
        problem = f"{type(error).__name__}: {error}"
    return Outcome(name, "failed" if problem else "passed", problem or "")


def thinned(networks, every):
    """Every Nth file of each folder, and always its first, so that every kind of network is met."""
    seen, kept = collections.Counter(), []
    for plumb, path in networks:
        if seen[path.parent] % every == 0:
            kept.append((plumb, path))
        seen[path.parent] += 1
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, type=lambda text: str(pathlib.Path(text).resolve(strict=True)))
    parser.add_argument("--filter", default="", help="only files and facts whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only every Nth file of each folder")
    arguments = parser.parse_args()
    if not (SHARED / "networks").is_dir():
        print(f"skipped: there is no folder {SHARED} with networks; set PLUMB_SHARED to check them")
        return NO_SHARED_FOLDER

    networks = [(arguments.plumb, p) for p in all_networks() if arguments.filter in str(p)]
    networks = thinned(networks, arguments.every)
    # Slow networks first, so that both processes end at about the same time.
    networks.sort(key=lambda work: -work[1].stat().st_size)
    facts = [(arguments.plumb, k) for k, (name, _) in enumerate(known_facts()) if arguments.filter in name]
    with multiprocessing.Pool(2) as pool:
        slow_facts = pool.imap_unordered(check_fact, facts[::-1])
        files = list(pool.imap_unordered(check_network, networks))
        outcomes = sorted(files) + sorted(slow_facts)
    for outcome in outcomes:
        print(f"{outcome.verdict:<8} {outcome.name}  {outcome.text}")
    count = collections.Counter(outcome.verdict for outcome in outcomes)
    imported = sum(o.verdict == "passed" for o in files)
    print(f"{len(files)} files: {imported} imported and equal, {count['refused']} refused as they should be")
    print(f"{count['passed'] + count['refused']} passed, {count['failed']} failed")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
