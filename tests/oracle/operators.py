#!/usr/bin/env python3
"""Compares `plumb eval` with two independent implementations of ONNX, operation by operation.

    operators.py --plumb PATH [--filter WORD] [--every N] [--keep DIR]

Hundreds of small random models cover every supported operation and attribute. Each is evaluated on 20 inputs and
compared with ONNX Runtime (float32) and with ONNX's reference implementation converted to double. Models that must be
refused must fail with exit code 65 and a message that names every offending node. Those that no run time should accept
(ill_formed.py) are also given to ONNX Runtime.

Prints a table by operation and `N passed, N failed, N skipped`. A model is skipped if one oracle cannot evaluate it
(the other one still decides). Exit code 1 on any failure. --filter keeps the cases whose name contains WORD. --keep
leaves the failing models and inputs in DIR. Without --plumb the two oracles are only compared with each other.
"""

import argparse
import collections
import json
import multiprocessing
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import activations
import affine
import arithmetic
import combinations
import evaluators
import graphs
import ill_formed
import pooling
import refused
import shapes
from models import input_shapes

SAMPLES = 20

# Two float32 evaluations differ by rounding: a few units in the last place of the largest intermediate value, which in
# these shallow models is close to the largest output.
FLOAT_TOLERANCE, FLOAT_FLOOR = 1e-5, 1e-6

# A sum of n terms is off by at most n u sum|terms| (u = 1.1e-16), in any order. Here n <= 256, a model has at most ten
# such layers, and sum|terms| is at most about ten times the largest value. The worst case is about 3e-12 of that value,
# and actual errors are below 1e-14. A single float32 rounding, 6e-8, is far outside.
DOUBLE_TOLERANCE = 1e-12

Result = collections.namedtuple("Result", "case problem skip")


def all_cases():
    modules = (affine, activations, pooling, arithmetic, shapes, graphs, combinations, refused, ill_formed)
    return [case for module in modules for group in module.GROUPS for case in group()]


def samples_for(model, input_type):
    """Normal and uniform inputs, corners of a box, zeros, and some large inputs."""
    count = sum(int(np.prod(shape)) for shape in input_shapes(model).values())
    random = np.random.default_rng(count)
    rows = [random.standard_normal((10, count)), random.choice([-1.0, 1.0], (3, count)), np.zeros((1, count)),
            np.ones((1, count)), random.uniform(0, 1, (3, count)), 10 * random.standard_normal((2, count))]
    samples = np.concatenate(rows)
    assert len(samples) == SAMPLES
    return samples.astype(input_type).astype(np.float32)


def check(case, plumb, keep):
    """Writes the model to a file, evaluates it with everything, and returns the Result."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "model.onnx"
        path.write_bytes(case.model)
        for name, content in case.side_files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        if case.offending is not None:
            problem = refusal_problem(plumb, path, case) if plumb else None
            result = Result(case, problem or (runtime_problem(case) if case.runtime_refuses else None), None)
        else:
            result = compared(case, plumb, path)
        if result.problem and keep:
            target = pathlib.Path(keep) / re.sub(r"[^\w.=-]+", "_", case.name)
            target.mkdir(parents=True, exist_ok=True)
            for file in folder.rglob("*"):
                if file.is_file():
                    (target / file.name).write_bytes(file.read_bytes())
        return result


def compared(case, plumb, path):
    model = onnx.load(path)
    samples = samples_for(model, case.input_type)
    np.save(path.parent / "x.npy", samples)
    runtime, runtime_skip = (None, case.distrust_runtime)
    if not case.distrust_runtime:
        runtime, runtime_skip = attempt(evaluators.runtime_outputs, model, samples)
    exact, exact_skip = attempt(evaluators.double_outputs, model, samples)
    skip = runtime_skip or exact_skip
    if runtime is None and exact is None:
        return Result(case, f"no oracle: {runtime_skip}; {exact_skip}", skip)
    problem = None
    if runtime is not None and exact is not None:
        problem = difference("the oracles", runtime, exact[0], float_limit(exact[0]))
    if plumb and not problem:
        problem = plumb_problem(case, plumb, path, runtime, exact)
    return Result(case, problem, skip)


def attempt(oracle, model, samples):
    try:
        return oracle(model, samples), None
    except evaluators.CannotEvaluate as error:
        return None, str(error)


def float_limit(expected):
    return max(FLOAT_TOLERANCE * float(np.max(np.abs(expected))), FLOAT_FLOOR)


def plumb_problem(case, plumb, path, runtime, exact):
    """What is wrong with Plumb's outputs in the two precisions, or None."""
    for precision in ("float32", "double"):
        output = path.parent / f"{precision}.npy"
        problem, values = plumb_outputs(plumb, path, precision, output)
        if problem:
            return problem
        values = apply(case.activation, values)
        if precision == "float32" and runtime is not None:
            problem = difference("float32 against onnxruntime", values, runtime, float_limit(runtime))
        elif precision == "double" and exact is not None:
            # 1 is for the models whose values are all tiny.
            limit = DOUBLE_TOLERANCE * max(exact[1], 1.0)
            problem = difference("double against onnx.reference", values, exact[0], limit)
        if problem:
            return problem
    return activation_problem(case, plumb, path) if case.activation else None


def plumb_outputs(plumb, path, precision, output):
    command = [plumb, "eval", path, "--data", f"npy:{path.parent / 'x.npy'}", "--precision", precision,
               "--threads", "1", "--outputs", output]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        return f"exit code {run.returncode}: {run.stderr.strip()}", None
    return None, np.load(output)


def activation_problem(case, plumb, path):
    run = subprocess.run([plumb, "inspect", path, "--json"], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        return f"inspect: exit code {run.returncode}: {run.stderr.strip()}"
    found = json.loads(run.stdout).get("output_activation")
    return None if found == case.activation else f"inspect: output_activation is {found}"


def apply(activation, logits):
    """The final function that Plumb dropped, in double."""
    if activation is None:
        return logits
    if activation == "Sigmoid":
        return 1 / (1 + np.exp(-logits))
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return log_softmax if activation == "LogSoftmax" else np.exp(log_softmax)


def difference(what, found, expected, limit):
    """A message if the arrays differ by more than limit anywhere."""
    if found.shape != expected.shape:
        return f"{what}: shape {found.shape} instead of {expected.shape}"
    if found.dtype != np.float64:
        return f"{what}: outputs are {found.dtype}, not float64"
    errors = np.abs(found - expected)
    if np.all(errors <= limit):
        return None
    row, column = np.unravel_index(np.argmax(np.where(np.isnan(errors), np.inf, errors)), errors.shape)
    return (f"{what}: sample {row} output {column} is {found[row, column]!r} instead of {expected[row, column]!r}, "
            f"difference {errors[row, column]:.2e} above {limit:.2e}")


def refusal_problem(plumb, path, case):
    run = subprocess.run([plumb, "inspect", path], capture_output=True, text=True, timeout=60)
    if run.returncode != 65:
        return f"exit code {run.returncode} instead of 65: {run.stderr.strip()}"
    if run.stdout:
        return "refused, but printed to stdout"
    if not run.stderr.startswith("plumb: ") or path.name not in run.stderr:
        return f"the message does not name the file: {run.stderr.strip()}"
    missing = [f"{name} ({operation})" for name, operation in case.offending
               if name not in run.stderr or operation not in run.stderr]
    return f"the message does not name {', '.join(missing)}: {run.stderr.strip()}" if missing else None


def runtime_problem(case):
    """What is wrong if ONNX Runtime accepts a model that it should refuse, or None."""
    model = onnx.load_from_string(case.model)
    outputs, _ = attempt(evaluators.runtime_outputs, model, samples_for(model, case.input_type)[:1])
    return None if outputs is None else "onnxruntime does not refuse it"


def check_safely(arguments):
    case, plumb, keep = arguments
    try:
        return check(case, plumb, keep)
    except Exception as error:  # a defect of this test must fail its case and not end the run
        return Result(case, f"{type(error).__name__}: {error}", None)


def print_report(results):
    rows = collections.defaultdict(collections.Counter)
    for result in results:
        row = rows[result.case.operation]
        row.update(models=1, passed=not result.problem, failed=bool(result.problem), skipped=bool(result.skip))
    columns = ("models", "passed", "failed", "skipped")
    print(f"{'operation':<22}" + "".join(f"{c:>9}" for c in columns))
    for operation in sorted(rows):
        print(f"{operation:<22}" + "".join(f"{rows[operation][c]:>9}" for c in columns))
    for result in results:
        if result.skip:
            print(f"skipped oracle: {result.case.name}: {result.skip}")
    for result in results:
        if result.problem:
            print(f"FAILED {result.case.name}\n       {result.problem}")
    total = sum(rows.values(), collections.Counter())
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return total["failed"] == 0


def thinned(cases, every):
    """Every Nth case of each operation, and always its first, so that none is left out."""
    seen, kept = collections.Counter(), []
    for case in cases:
        if seen[case.operation] % every == 0:
            kept.append(case)
        seen[case.operation] += 1
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", type=lambda text: str(pathlib.Path(text).resolve(strict=True)))
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1, help="only every Nth case of each operation")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    cases = thinned([c for c in all_cases() if arguments.filter.lower() in c.name.lower()], arguments.every)
    names = collections.Counter(case.name for case in cases)
    assert max(names.values(), default=1) == 1, f"two cases of one name: {names.most_common(1)}"
    with multiprocessing.Pool(2) as pool:
        work = [(case, arguments.plumb, arguments.keep) for case in cases]
        results = list(pool.imap(check_safely, work, chunksize=8))
    return 0 if print_report(results) else 1


if __name__ == "__main__":
    sys.exit(main())
