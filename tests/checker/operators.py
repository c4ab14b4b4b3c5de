#!/usr/bin/env python3
"""Compares the checker's own reading of ONNX with ONNX Runtime and with Plumb.

    operators.py --evaluate PATH --plumb PATH [--filter WORD] [--every N] [--networks]

Runs the operator models of tests/oracle through `checker_evaluate`: the value that ONNX's definitions give in double
must lie within the enclosure that the checker computes, widened by the rounding of that evaluation; so must ONNX
Runtime's float32 value. Enclosures must be narrow. Whatever Plumb accepts must be accepted, with as many units, and
whatever Plumb refuses must be refused without a crash or be one of the files that the checker may accept. With
--networks, also every network of the shared folder ($PLUMB_SHARED, or ../shared beside the repository).

Prints a line for each failure, and `N passed, N failed`. Exit code 1 on any failure.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import onnx

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path[:0] = [str(REPOSITORY / "tests" / "oracle"), str(REPOSITORY / "tests" / "regress")]

import evaluators
import operators as oracle
import shared_networks

# An enclosure's width relative to the largest value inside the network: intervals of points only widen by rounding.
# In deep networks it grows with every layer.
WIDTH, NETWORK_WIDTH = 1e-9, 1e-6
# The refused and ill-formed models contradict ONNX's definition or are not piecewise linear. Those that the checker
# reads nevertheless contradict it in a way that leaves no doubt about what is computed.
MAY_ACCEPT = ("came with opset", "no C before opset 11", "two results", "an output declared as double", "int32",
              "a uint8 index", "float and double parameters")


def evaluated(evaluate, path, samples):
    """(problem, description) where the description's samples are arrays [samples, outputs, 2]."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(np.ascontiguousarray(samples, np.float64).tobytes())
        file.flush()
        run = subprocess.run([evaluate, path, file.name], capture_output=True, text=True, timeout=600)
    if run.returncode == 65 and path.name in run.stderr and not run.stdout:
        return f"refused: {run.stderr.strip()}", None
    if run.returncode != 0:
        return f"CRASHED with exit code {run.returncode}: {run.stderr.strip()}", None
    found = json.loads(run.stdout)
    found["samples"] = np.array([[[float.fromhex(end) for end in pair] for pair in sample]
                                 for sample in found["samples"]])
    return None, found


def outside(what, found, expected, limit):
    """A message if an expected value is farther than limit outside of its enclosure."""
    ends = found["samples"]
    if ends.shape[:2] != expected.shape:
        return f"{what}: shape {ends.shape[:2]} instead of {expected.shape}"
    distance = np.maximum(ends[..., 0] - expected, expected - ends[..., 1])
    if np.all(distance <= limit):
        return None
    at = np.unravel_index(np.argmax(np.where(np.isnan(distance), np.inf, distance)), distance.shape)
    return f"{what}: {expected[at]!r} is {distance[at]:.2e} outside of {list(ends[at])}"


def units_of(plumb, path):
    """The (kind, size) of each of Plumb's nodes with units, or None if it refuses the file."""
    run = subprocess.run([plumb, "inspect", path, "--json"], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        return None
    layers = [(layer["op"], layer["relu_units"] + layer["max_units"]) for layer in json.loads(run.stdout)["layers"]]
    return [(op, units) for op, units in layers if units]


def unit_problem(found, wanted):
    """Plumb's units must be among the checker's, in the same order: Plumb leaves out units that change nothing."""
    units = [(kind, size) for kind, _, _, size in found["units"]]
    rest = iter(units)
    if wanted is not None and not all(any(mine == theirs for mine in rest) for theirs in wanted):
        return f"units {units}, but Plumb has {wanted}"
    names = [(tensor, number) for _, tensor, number, _ in found["units"]]
    return "two units have one name" if len(set(names)) < len(names) else None


def check_case(case, evaluate, plumb, path):
    if case.offending is not None:
        problem, _ = evaluated(evaluate, path, np.zeros((0, 0)))
        if problem and not problem.startswith("refused"):
            return problem
        return None if problem or any(label in case.name for label in MAY_ACCEPT) else "it is accepted"
    model = onnx.load(path)
    samples = oracle.samples_for(model, case.input_type)
    problem, found = evaluated(evaluate, path, samples)
    if problem:
        return problem
    problem = unit_problem(found, units_of(plumb, path))
    if problem:
        return problem
    if found["only_order"] != (case.activation is not None):
        return f"only_order is {found['only_order']}"
    if case.activation:
        ends = found["samples"]
        found["samples"] = np.stack([oracle.apply(case.activation, ends[..., k]) for k in (0, 1)], axis=-1)
    # A limit or slope that is far larger than the values takes digits from their enclosures, as from any other sum.
    width = np.inf if "of small values" in case.name or "no value below 0" in case.name else WIDTH
    return compared(model, samples, found, width, case.distrust_runtime)


def compared(model, samples, found, allowed_width=WIDTH, distrust_runtime=None):
    runtime = None if distrust_runtime else oracle.attempt(evaluators.runtime_outputs, model, samples)[0]
    exact = oracle.attempt(evaluators.double_outputs, model, samples)[0]
    if runtime is None and exact is None:
        return "no oracle evaluates it"
    problem = None
    if exact is not None:
        scale = max(exact[1], 1.0)
        problem = outside("against onnx.reference in double", found, exact[0], oracle.DOUBLE_TOLERANCE * scale)
        width = float(np.max(found["samples"][..., 1] - found["samples"][..., 0], initial=0))
        if not problem and not width <= allowed_width * scale:
            problem = f"an enclosure is {width:.2e} wide, for values up to {scale:.2e}"
    if runtime is not None and not problem:
        problem = outside("against onnxruntime in float32", found, runtime, oracle.float_limit(runtime))
    return problem


def check_model(arguments):
    case, evaluate, plumb = arguments
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        path.write_bytes(case.model)
        for name, content in case.side_files.items():
            (path.parent / name).parent.mkdir(exist_ok=True)
            (path.parent / name).write_bytes(content)
        try:
            return case.name, check_case(case, evaluate, plumb, path)
        except Exception as error:  # a defect of this test must fail its case and not end the run
            return case.name, f"{type(error).__name__}: {error}"


def check_network(arguments):
    path, evaluate, plumb = arguments
    try:
        content = shared_networks.content_of(path)
        units = units_of(plumb, path)
        if not content or units is None:
            problem, _ = evaluated(evaluate, path, np.zeros((0, 0)))
            return str(path), problem if problem and not problem.startswith("refused") else None
        model = onnx.load_from_string(content)
        samples = shared_networks.random_inputs(path, model)[:3]
        problem, found = evaluated(evaluate, path, samples)
        return str(path), problem or unit_problem(found, units) or compared(model, samples, found, NETWORK_WIDTH)
    except Exception as error:
        return str(path), f"{type(error).__name__}: {error}"


def networks():
    found = [p for folder in ("networks", "vnncomp", "vnncomp-hard") for p in (SHARED / folder).rglob("*")
             if p.name.endswith((".onnx", ".onnx.gz"))]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluate", required=True, help="the program checker_evaluate")
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1, help="only every Nth case of each operation")
    parser.add_argument("--networks", action="store_true", help="the shared networks instead of the operator models")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    programs = [str(pathlib.Path(p).resolve(strict=True)) for p in (arguments.evaluate, arguments.plumb)]
    if arguments.networks:
        wanted = [p for p in networks() if arguments.filter.lower() in p.name.lower()]
        check, work = check_network, wanted[::arguments.every]
    else:
        cases = [c for c in oracle.all_cases() if arguments.filter.lower() in c.name.lower()]
        check, work = check_model, oracle.thinned(cases, arguments.every)
    with multiprocessing.Pool(arguments.processes) as pool:
        results = pool.map(check, [(item, *programs) for item in work], chunksize=4)
    failed = [f"FAILED {name}\n       {problem}" for name, problem in results if problem]
    print("\n".join([*failed, f"{len(results) - len(failed)} passed, {len(failed)} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
