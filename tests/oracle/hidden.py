#!/usr/bin/env python3
"""Compares hidden values of VNN-LIB properties (declare-hidden) with two independent implementations of ONNX.

    hidden.py --plumb PATH [--filter WORD] [--every N]

Values: every model of the operator suite gets a property that fixes its inputs and declares all its inner tensors, and
one that declares a single inner tensor, so that everything around it is folded. The counterexample shows their values.
These must equal those of ONNX's reference implementation in double, or of ONNX Runtime where that fails.

Verdicts: random networks, a box of inputs, a condition on an inner tensor. If sampling satisfies the condition, the
property must not be reported to hold, and ONNX Runtime must agree with every counterexample
(vnncomp/runner/checker.py).

Prints `N passed, N failed, N skipped` and the number of verdicts of each kind. Exit code 1 on any failure.
"""

import argparse
import collections
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import combinations
import evaluators
from models import input_shapes
from operators import DOUBLE_TOLERANCE, all_cases, attempt, float_limit, samples_for

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "vnncomp/runner/checker.py"
# Half the width of the input box for verdicts. Small enough that many are decided at once.
RADIUS = 0.05
ONE_QUERY = 4  # seconds

Result = collections.namedtuple("Result", "name problem skip verdicts")


def inner_tensors(model, sample):
    """{name: shape} of the float tensors that nodes compute and that are not outputs."""
    outputs = {value.name for value in model.graph.output}
    names = [name for node in model.graph.node for name in node.output if name and name not in outputs]
    precise = evaluators.in_double(evaluators.fixed_batch(model))
    evaluator = evaluators.ReferenceEvaluator(precise, new_ops=evaluators.plain_operators.ALL)
    values = evaluator.run(names, evaluators.split_sample(model, sample))
    arrays = {name: np.asarray(value) for name, value in zip(names, values)}
    return {name: list(a.shape) for name, a in arrays.items() if a.dtype == np.float64 and a.size}


def with_outputs(model, names):
    """The model with these tensors as its only outputs."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    del changed.graph.output[:]
    changed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return changed


def element(tensor, shape, flat):
    indices = np.unravel_index(flat, shape) if shape else ()
    return f"{tensor}[{','.join(map(str, indices))}]" if shape else tensor


def declarations(model, hidden, output_shapes):
    lines = [f"(declare-input X{k} real {shape})" for k, shape in enumerate(input_shapes(model).values())]
    lines += [f'(declare-hidden H{k} real {shape} "{name}")' for k, (name, shape) in enumerate(hidden.items())]
    lines += [f"(declare-output Y{k} real {shape})" for k, shape in enumerate(output_shapes)]
    return "(vnnlib-version <2.0>)\n(declare-network f\n" + "\n".join(lines) + ")\n"


def box(model, lower, upper):
    text, at = "", 0
    for k, shape in enumerate(input_shapes(model).values()):
        for flat in range(int(np.prod(shape))):
            x = element(f"X{k}", shape, flat)
            text += f"(assert (and (>= {x} {float(lower[at])!r}) (<= {x} {float(upper[at])!r})))\n"
            at += 1
    return text


def verify(plumb, folder, text):
    """(exit code, messages, results file)"""
    (folder / "p.vnnlib").write_text(text)
    command = [plumb, "verify", folder / "model.onnx", folder / "p.vnnlib", "--threads", "1", "--timeout",
               str(ONE_QUERY), "--result", folder / "result.txt"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return run.returncode, run.stdout + run.stderr, folder / "result.txt"


def numbers_in(results, names):
    """The numbers below each of these names in a results file."""
    found, current = {name: [] for name in names}, None
    for line in results.read_text().splitlines()[1:]:
        words = line.split()
        if len(words) > 1:
            current = found.get(words[0])
        elif current is not None:
            current.append(float(line))
    return found


def value_problem(plumb, folder, model, sample, hidden, output_shapes):
    text = declarations(model, hidden, output_shapes) + box(model, sample, sample) + "(assert (<= 0 1))\n"
    code, said, results = verify(plumb, folder, text)
    if code != 1:
        return f"exit code {code} instead of 1: {said.strip()}"
    found = numbers_in(results, [f"H{k}" for k in range(len(hidden))])
    asked = with_outputs(model, hidden)
    exact, _ = attempt(evaluators.double_outputs, asked, [sample])
    if exact is not None:
        expected, limit = exact[0][0], DOUBLE_TOLERANCE * max(exact[1], 1.0)
    else:
        expected = evaluators.runtime_outputs(asked, [sample])[0]
        limit = float_limit(expected)
    values = np.array([v for numbers in found.values() for v in numbers])
    if values.shape != expected.shape:
        return f"{len(values)} hidden values instead of {len(expected)}"
    errors = np.abs(values - expected)
    worst = int(np.argmax(errors))
    if errors[worst] <= limit:
        return None
    sizes = np.cumsum([int(np.prod(shape)) for shape in hidden.values()])
    name = list(hidden)[int(np.searchsorted(sizes, worst, side="right"))]
    return f"{name}: {values[worst]!r} instead of {expected[worst]!r}"


def verdict_problem(plumb, folder, model, hidden, output_shapes, random):
    """(problem, verdicts): one condition that is certainly satisfied, and one beyond the values seen by sampling."""
    name = str(random.choice(list(hidden)))
    shape, inputs = hidden[name], sum(int(np.prod(s)) for s in input_shapes(model).values())
    centre = random.standard_normal(inputs).astype(np.float32)
    lower, upper = (centre - RADIUS).astype(np.float32), (centre + RADIUS).astype(np.float32)
    points = random.uniform(lower, upper, (100, inputs)).astype(np.float32)
    values, _ = evaluators.double_outputs(with_outputs(model, [name]), points)
    i, j = random.integers(values.shape[1], size=2)
    seen = values[:, i] - (0 if i == j else values[:, j])
    low, high = float(seen.min()), float(seen.max())
    form = element("H0", shape, i) if i == j else f"(- {element('H0', shape, i)} {element('H0', shape, j)})"
    head = declarations(model, {name: shape}, output_shapes) + box(model, lower, upper)
    verdicts = []
    for bound in ((low + high) / 2, high + 0.05 + random.uniform(0, 2) * (high - low)):
        code, said, results = verify(plumb, folder, head + f"(assert (>= {form} {bound!r}))\n")
        verdicts.append({0: "holds", 1: "violated", 2: "unknown"}.get(code, "error"))
        if code not in (0, 1, 2):
            return f"exit code {code}: {said.strip()}", verdicts
        if code == 0 and bound <= high:
            return f"holds, but {name} reaches {high!r}: {form} >= {bound!r}", verdicts
        if code == 1:
            check = subprocess.run([sys.executable, CHECKER, folder / "p.vnnlib", results, folder / "model.onnx"],
                                   capture_output=True, text=True, timeout=60)
            if check.returncode != 0:
                return f"counterexample: {check.stdout.strip() or check.stderr.strip()}", verdicts
    return None, verdicts


def check(case, plumb, kind):
    model = onnx.load_from_string(case.model)
    sample = samples_for(model, case.input_type)[0]
    try:
        hidden = inner_tensors(model, sample)
        outputs = evaluators.ReferenceEvaluator(
            evaluators.in_double(evaluators.fixed_batch(model)), new_ops=evaluators.plain_operators.ALL)
        output_shapes = [list(y.shape) for y in outputs.run(None, evaluators.split_sample(model, sample))]
    except Exception as error:  # the reference implementation raises whatever numpy raises
        return Result(case.name, None, f"onnx.reference: {error}", [])
    if not hidden:
        return Result(case.name, None, "no inner tensor", [])
    random = np.random.default_rng(len(case.model))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "model.onnx").write_bytes(case.model)
        if kind == "verdicts":
            problem, verdicts = verdict_problem(plumb, folder, model, hidden, output_shapes, random)
            return Result(case.name, problem, None, verdicts)
        one = str(random.choice(list(hidden)))
        problem = (value_problem(plumb, folder, model, sample, hidden, output_shapes)
                   or value_problem(plumb, folder, model, sample, {one: hidden[one]}, output_shapes))
        return Result(case.name, problem, None, [])


def check_safely(arguments):
    case, plumb, kind = arguments
    try:
        return check(case, plumb, kind)
    except Exception as error:  # a defect of this test must fail its case and not end the run
        return Result(case.name, f"{type(error).__name__}: {error}", None, [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", type=lambda text: str(pathlib.Path(text).resolve(strict=True)), required=True)
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    arguments = parser.parse_args()
    cases = [c for c in all_cases() if arguments.filter.lower() in c.name.lower()][::arguments.every]
    # The operator suite covers side files and other types.
    values = [c for c in cases if c.offending is None and not c.side_files and c.input_type == np.float32]
    random = {case.name for group in combinations.GROUPS for case in list(group())[::2]} & {c.name for c in values}
    work = [(case, arguments.plumb, "values") for case in values]
    work += [(case, arguments.plumb, "verdicts") for case in values if case.name in random]
    with multiprocessing.Pool(2) as pool:
        results = list(pool.imap(check_safely, work, chunksize=4))
    for result in results:
        if result.problem:
            print(f"FAILED {result.name}\n       {result.problem}")
    verdicts = collections.Counter(verdict for result in results for verdict in result.verdicts)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    failed, skipped = sum(bool(r.problem) for r in results), sum(bool(r.skip) for r in results)
    print(f"{len(results) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    decided = not random or arguments.filter or min(verdicts["holds"], verdicts["violated"]) >= len(random) // 3
    if not decided:
        print("too few verdicts: this suite says little")
    return 0 if failed == 0 and decided else 1


if __name__ == "__main__":
    sys.exit(main())
