#!/usr/bin/env python3
"""Questions about tiny networks, whose truth is known exactly.

    truth.py --plumb PATH --plumb-check PATH

In each round a network with one or two inputs, up to two layers of ReLUs, and weights that are small dyadic numbers. Its
least output over a box is found in fractions: the box is cut along the line on which each unit changes. Then thresholds
are asked: clear ones, and the doubles nearest to the minimum. What plumb-check accepts must be true, and what Plumb
proves it must accept, with intervals and exactly. Certificates are also made to claim the false thresholds, and then
nobody may accept them.

PLUMB_TRUTH_SEED and PLUMB_TRUTH_ROUNDS choose other or more rounds, PLUMB_TRUTH_SECONDS when it ends (default: 40).
Exit code 1 on any failure.
"""

import argparse
import collections
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import certificate_records

OPTIONS = [[], ["--split", "unit", "--without", "attack,propagation"], ["--split", "input"], ["--split", "unit"],
           ["--split", "unit", "--without", "propagation,narrowing"], ["--split", "unit", "--no-cuts"]]


def random_layers(rng):
    """[(weights, bias)] with entries n / 4; no activation after the last."""
    widths = [int(rng.integers(1, 3)), *map(int, rng.integers(2, 6, size=rng.integers(1, 3))), 1]
    return [(rng.integers(-8, 9, (b, a)) / 4, rng.integers(-8, 9, b) / 4) for a, b in zip(widths, widths[1:])]


def write_network(path, layers):
    nodes, stored, name = [], [], "input"
    for i, (weights, bias) in enumerate(layers):
        stored += [numpy_helper.from_array(weights.astype(np.float32), f"w{i}"),
                   numpy_helper.from_array(bias.astype(np.float32), f"b{i}")]
        nodes.append(helper.make_node("Gemm", [name, f"w{i}", f"b{i}"], [f"z{i}"], transB=1))
        name = f"z{i}"
        if i + 1 < len(layers):
            nodes.append(helper.make_node("Relu", [name], [f"r{i}"]))
            name = f"r{i}"
    shape = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "tiny", [shape("input", TensorProto.FLOAT, [1, layers[0][0].shape[1]])],
                              [shape(name, TensorProto.FLOAT, [1, 1])], stored)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


# A piece is a convex polygon (or a segment) by its corners in order. Functions are (gradient, constant).

def value(function, x):
    return sum(g * c for g, c in zip(function[0], x)) + function[1]


def cut(corners, function, sign):
    """The part on which sign * function >= 0."""
    values = [sign * value(function, x) for x in corners]
    kept = []
    count = len(corners)
    for i in range(count):
        if values[i] >= 0:
            kept.append(corners[i])
        j = (i + 1) % count
        if values[i] * values[j] < 0 and (count > 2 or i == 0):
            t = values[i] / (values[i] - values[j])
            kept.append(tuple(a + t * (b - a) for a, b in zip(corners[i], corners[j])))
    return kept


def least(layers, corners):
    """The exact minimum of the only output over the piece."""
    exact = [([[Fraction(w) for w in row] for row in weights], [Fraction(b) for b in bias]) for weights, bias in layers]
    inputs = len(corners[0])
    start = [([Fraction(int(i == j)) for j in range(inputs)], Fraction(0)) for i in range(inputs)]
    pieces = [(corners, start)]
    for number, (weights, bias) in enumerate(exact):
        after = []
        for place, functions in pieces:
            z = [([sum(w * f[0][j] for w, f in zip(row, functions)) for j in range(inputs)],
                  sum(w * f[1] for w, f in zip(row, functions)) + b) for row, b in zip(weights, bias)]
            if number + 1 == len(exact):
                after.append((place, z))
                continue
            parts = [(place, [])]
            for function in z:
                split = []
                for part, values in parts:
                    split.append((cut(part, function, 1), [*values, function]))
                    split.append((cut(part, function, -1), [*values, ([Fraction(0)] * inputs, Fraction(0))]))
                parts = [(part, values) for part, values in split if part]
            after += parts
        pieces = after
    return min(value(functions[0], x) for place, functions in pieces for x in place)


def write_property(path, low, high, threshold, strict):
    """Can the output be below the threshold? Numbers are written with all their digits."""
    lines = [f"(declare-const X_{i} Real)" for i in range(len(low))] + ["(declare-const Y_0 Real)"]
    for i, (l, h) in enumerate(zip(low, high)):
        lines += [f"(assert (>= X_{i} {Decimal(l):f}))", f"(assert (<= X_{i} {Decimal(h):f}))"]
    lines.append(f"(assert ({'<' if strict else '<='} Y_0 {Decimal(threshold):f}))")
    path.write_text("\n".join(lines) + "\n")


def thresholds(rng, minimum):
    """Doubles on both sides of the minimum."""
    near = float(minimum)
    below, above = np.nextafter(near, -np.inf), np.nextafter(near, np.inf)
    far = float(rng.choice([1e-12, 1e-6, 0.01, 0.5]))
    return [float(t) for t in (near, below, above, near - far, near + far)]


class Test:
    def __init__(self, plumb, plumb_check):
        self.plumb, self.plumb_check = plumb, plumb_check
        self.rows, self.failures = collections.Counter(), []

    def fail(self, folder, seed, why):
        self.failures.append(f"seed {seed}: {why}")
        keep = os.environ.get("PLUMB_TRUTH_KEEP")
        if keep:
            shutil.copytree(folder, pathlib.Path(keep) / f"truth{seed}", dirs_exist_ok=True)

    def accepted(self, *words):
        run = subprocess.run([self.plumb_check, *map(str, words)], capture_output=True, text=True, timeout=60)
        if run.returncode not in (0, 1, 65):
            self.failures.append(f"plumb-check ends with exit code {run.returncode}: {run.stderr}")
        return run.returncode == 0

    def round(self, seed, folder):
        rng = np.random.default_rng(seed)
        layers, network = random_layers(rng), folder / "network.onnx"
        inputs = layers[0][0].shape[1]
        low = [float(l) for l in rng.integers(-8, 4, inputs) / 4]
        high = [float(l + s) for l, s in zip(low, rng.integers(1, 9, inputs) / 4)]
        corners = [(Fraction(low[0]),), (Fraction(high[0]),)]
        if inputs == 2:
            corners = [tuple(map(Fraction, x)) for x in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]),
                                                         (low[0], high[1]))]
        minimum = least(layers, corners)
        write_network(network, layers)
        proofs, false = [], []
        for number, threshold in enumerate(thresholds(rng, minimum)):
            strict = bool(rng.random() < 0.3)
            holds = minimum >= Fraction(threshold) if strict else minimum > Fraction(threshold)
            question, proof = folder / f"{number}.vnnlib", folder / f"{number}.plumb"
            write_property(question, low, high, threshold, strict)
            run = subprocess.run([self.plumb, "verify", network, question, "-q", "--threads", "1", "--timeout", "2",
                                  "--certificate", proof, *OPTIONS[seed % len(OPTIONS)]], capture_output=True, text=True)
            kind = ("a tie", "one double below", "one double above", "clearly below", "clearly above")[number]
            self.rows[kind, "true" if holds else "false", {0: "holds", 1: "violated", 2: "unknown"}.get(run.returncode)] += 1
            if not holds:
                false.append((question, threshold, strict))
            if run.returncode not in (0, 1, 2):
                self.fail(folder, seed, f"Plumb ends with exit code {run.returncode}: {run.stderr.strip()}")
            elif run.returncode == 2:
                continue
            elif (run.returncode == 0) != holds:
                self.fail(folder, seed, f"Plumb is WRONG about threshold {threshold!r}, strict {strict}")
            elif not proof.exists():
                self.fail(folder, seed, f"no certificate for threshold {threshold!r}")
            else:
                proofs.append(proof) if holds else None
                for options in ([], ["--exact"]):
                    if not self.accepted(*options, network, question, proof):
                        self.fail(folder, seed, f"{proof.name} is rejected {options}, threshold {threshold!r}")
        for proof, (question, threshold, strict) in itertools.product(proofs, false):
            records = certificate_records.read(proof)
            for record in records:
                for inequality in itertools.chain(*record["conjunctions"]) if record.name == "UNSAFE" else ():
                    inequality.update(bound=threshold, strict=int(strict))
            lie = folder / f"lie{proof.stem}{question.stem}.plumb"
            certificate_records.write(lie, records)
            for options in ([], ["--exact"]):
                self.rows["a lie", "false", "accepted" if self.accepted(*options, network, question, lie) else "rejected"] += 1
                if self.rows["a lie", "false", "accepted"]:
                    self.fail(folder, seed, f"{lie.name} is ACCEPTED {options}, threshold {threshold!r}, strict {strict}")
                    return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--plumb-check", required=True)
    arguments = parser.parse_args()
    test = Test(arguments.plumb, arguments.plumb_check)
    first, rounds = int(os.environ.get("PLUMB_TRUTH_SEED", 1)), int(os.environ.get("PLUMB_TRUTH_ROUNDS", 300))
    end, done = time.monotonic() + float(os.environ.get("PLUMB_TRUTH_SECONDS", 40)), 0
    for seed in range(first, first + rounds):
        if time.monotonic() > end:
            break
        with tempfile.TemporaryDirectory() as folder:
            test.round(seed, pathlib.Path(folder))
        done += 1
    for (kind, truth, answer), count in sorted(test.rows.items(), key=str):
        print(f"{kind:20} {truth:6} {answer!s:10} {count:6}")
    print("\n".join(f"FAILED {failure}" for failure in test.failures))
    print(f"{done} networks, {sum(test.rows.values())} questions, {len(test.failures)} failed")
    return 1 if test.failures or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
