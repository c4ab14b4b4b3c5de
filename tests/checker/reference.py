#!/usr/bin/env python3
"""Certificates of random small networks, before two checkers that know nothing of each other.

    reference.py --plumb PATH --plumb-check PATH [--rounds N] [--first SEED] [--keep DIR]

In each round a random dense network, and a question that is hardly true: Plumb answers it and writes a certificate,
which `plumb-check`, `plumb-check --exact` and reference_check.py must accept. Written again record by record, it must
have the same bytes. Then it is damaged, once in each way that fits (`DAMAGES`): nobody may accept it. Some questions
are about samples of examples/digits, with l-infinity, l1 and l2 balls.

Prints a line for each failure, how often each kind of record was met, and `N passed, N failed`. Exit code 1 on any
failure, or if a kind of record that should be common was never met. --keep keeps the files of failures.
"""

import argparse
import collections
import contextlib
import copy
import gzip
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import certificate_records
import reference_check

DIGITS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "digits"
# How Plumb searches, so that all kinds of records are written.
OPTIONS = [[], ["--split", "unit"], ["--split", "unit", "--without", "propagation"],
           ["--split", "unit", "--without", "propagation,narrowing"], ["--split", "input"],
           ["--split", "unit", "--without", "propagation,unit-trees"], ["--split", "unit", "--no-cuts"],
           ["--split", "unit", "--without", "propagation,narrowing,tightening"]]
# Further seeds. 88: proofs that rest on bounds of arguments which others than their ReLUs read.
SEEDS = (88,)
COMMON = {"WITNESS", "REFUTED", "TIGHT", "UNITS", "TREE", "SPLIT", "CLOSE", "NARROW", "PROGRAM", "IMPLY", "BARE",
          "COORDINATES", "ELEMENTS", "BOUND", "HALVED"}


class Network:
    """A dense network, as it is built."""

    def __init__(self, rng, inputs, type_=np.float32):
        self.rng, self.type, self.nodes, self.stored, self.width = rng, type_, [], [], inputs
        self.name = "flat"
        self.inputs = inputs
        self._node("Flatten", ["input"], "flat")

    def _node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def _store(self, values):
        name = f"stored{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(np.asarray(values, self.type), name))
        return name

    def _affine(self, source, width):
        """Gemm, or MatMul with Add or Sub."""
        weights = self.rng.normal(size=(self.width, width)) * 1.5 / np.sqrt(self.width)
        bias, output = self.rng.normal(size=width) * 0.3, f"affine{len(self.nodes)}"
        form = self.rng.integers(3)
        if form == 0:
            return self._node("Gemm", [source, self._store(weights.T), self._store(bias)], output, transB=1)
        product = self._node("MatMul", [source, self._store(weights)], output + "product")
        return self._node("Add" if form == 1 else "Sub", [product, self._store(bias)], output)

    def layer(self, width, activation):
        output = f"layer{len(self.nodes)}"
        if activation == "Max":
            parts = [self._affine(self.name, width) for _ in range(self.rng.integers(2, 4))]
            self.name = self._node("Max", parts, output)
        else:
            z = self._affine(self.name, width)
            extra = {"Clip": [self._store(-0.5), self._store(0.75)], "MaxConstant": [self._store(0.1)]}
            attributes = {"alpha": 0.25} if activation == "LeakyRelu" else {}
            self.name = self._node(activation.replace("Constant", ""), [z] + extra.get(activation, []), output,
                                   **attributes)
        self.width = width

    def write(self, path, outputs):
        self.name, self.width = self._affine(self.name, outputs), outputs
        kind = TensorProto.FLOAT if self.type == np.float32 else TensorProto.DOUBLE
        given = helper.make_tensor_value_info("input", kind, [1, 1, self.inputs])
        result = helper.make_tensor_value_info(self.name, kind, [1, outputs])
        graph = helper.make_graph(self.nodes, "small", [given], [result], self.stored)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def random_network(rng, path, inputs, outputs, widths=None):
    network = Network(rng, inputs, np.float64 if rng.random() < 0.2 else np.float32)
    layers = rng.integers(3, 13, size=rng.integers(1, 4)) if widths is None else widths
    plain = rng.random() < 0.5
    for width in layers:
        network.layer(int(width), "Relu" if plain else str(rng.choice(
            ["Relu", "Relu", "LeakyRelu", "Abs", "Clip", "Max", "MaxConstant"])))
    network.write(path, outputs)


def write_property(path, centre, radius, outputs, margin):
    """Can some output reach the first one plus the margin?"""
    lines = [f"(declare-const X_{i} Real)" for i in range(len(centre))]
    lines += [f"(declare-const Y_{j} Real)" for j in range(outputs)]
    for i, c in enumerate(centre):
        lines += [f"(assert (>= X_{i} {c - radius:.4f}))", f"(assert (<= X_{i} {c + radius:.4f}))"]
    reached = "".join(f"(<= Y_0 (+ Y_{j} {margin:.9f}))" for j in range(1, outputs))
    path.write_text("\n".join(lines) + f"\n(assert (or {reached}))\n")


class Test:
    def __init__(self, plumb, plumb_check, keep):
        self.plumb, self.plumb_check, self.keep = plumb, plumb_check, keep
        self.passed, self.failures, self.met = 0, 0, collections.Counter()
        self.damaged = collections.Counter()

    def fail(self, folder, seed, why):
        print(f"seed {seed}: {why}")
        self.failures += 1
        if self.keep:
            shutil.copytree(folder, self.keep / str(seed), dirs_exist_ok=True)

    def run_plumb(self, *words, timeout=60):
        """Its output, or None if it takes too long."""
        try:
            command = [self.plumb, *map(str, words), "-q", "--threads", "1"]
            return subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return None

    def round(self, seed, folder):
        rng = np.random.default_rng(seed)
        network, certificate = folder / "network.onnx", folder / "proof.plumb"
        question = self.sample if seed % 6 == 5 else self.property
        question = question(rng, folder, network)
        if question is None:
            return
        run = self.run_plumb("verify", network, *question, "--certificate", certificate, *OPTIONS[seed % len(OPTIONS)])
        if run is None or run.returncode not in (0, 1):
            return self.fail(folder, seed, f"Plumb does not decide it: {run and run.stderr.strip()}")
        wanted = "proven" if run.returncode == 0 else "violated"
        if not certificate.exists():
            return self.fail(folder, seed, "there is no certificate")
        records = certificate_records.read(certificate)
        if certificate_records.compose(records) != gzip.decompress(certificate.read_bytes()):
            self.fail(folder, seed, "written again, it has other bytes")
        self.met.update(record.name for record in records)
        for who, (code, answer) in self.answers(network, question, certificate).items():
            if code != 0 or not answer.startswith(wanted):
                self.fail(folder, seed, f"{who} says: {answer}")
            else:
                self.passed += 1
        for name, damage in DAMAGES.items():
            damaged = damage(rng, copy.deepcopy(records))
            if damaged is not None:
                self.refuse(seed, folder, name, damaged, network, question)

    def refuse(self, seed, folder, name, damaged, network, question):
        certificate = folder / f"{name}.plumb"
        certificate_records.write(certificate, damaged)
        for who, (code, answer) in self.answers(network, question, certificate).items():
            if code == 0:
                self.fail(folder, seed, f"{who} accepts a certificate with {name}")
            elif code not in (1, 65):
                self.fail(folder, seed, f"{who} ends with exit code {code} at a certificate with {name}: {answer}")
            else:
                self.passed += 1
                self.damaged[name] += 1

    def answers(self, network, question, certificate):
        words = [str(word) for word in (network, *question, certificate)]
        found = {}
        for who, options in (("plumb-check", []), ("plumb-check --exact", ["--exact"])):
            run = subprocess.run([self.plumb_check, *options, *words], capture_output=True, text=True, timeout=300)
            found[who] = run.returncode, (run.stdout + run.stderr).strip()
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
            code = reference_check.main(words)
        found["reference_check.py"] = code, (out.getvalue() + errors.getvalue()).strip()
        return found

    def property(self, rng, folder, network):
        """A question whose margin is a little better than needed, or, now and then, a little worse."""
        inputs, outputs, path = int(rng.integers(2, 7)), int(rng.integers(2, 5)), folder / "question.vnnlib"
        random_network(rng, network, inputs, outputs)
        centre, radius = rng.uniform(-0.5, 0.5, inputs), rng.uniform(0.3, 1.5)
        write_property(path, centre, radius, outputs, 0)
        run = self.run_plumb("worst", network, path, "--json")
        if run is None or run.returncode != 0:
            return None
        worst = json.loads(run.stdout)
        slack = float(rng.choice([0.001, 0.01, 0.1]))
        margin = worst["upper"] + slack if rng.random() < 0.15 else worst["lower"] - slack
        write_property(path, centre, radius, outputs, margin)
        return [path]

    def sample(self, rng, folder, network):
        sample, norm = int(rng.integers(1000)), str(rng.choice(["linf", "l1", "l2"]))
        random_network(rng, network, 256, 10, rng.integers(3, 7, size=rng.integers(1, 3)))
        lead_by(network, sample, 1.0)
        radius = rng.uniform(0.3, 1) * {"linf": 0.02, "l1": 1.0, "l2": 0.2}[norm]
        return ["--data", f"mnist:{DIGITS}", "--sample", sample, "--eps", f"{radius:.3f}", "--norm", norm]


def lead_by(path, sample, lead):
    """Changes the last bias so that the sample's label leads by a margin."""
    model = onnx.load(path)
    question = reference_check.reference_question.Sample(DIGITS, sample, 0, "linf", (0, 1), 10)
    network = reference_check.reference_network.Network(model.SerializeToString())
    values = network.value([reference_check.Fraction(c) for c in question.ball.centre])
    outputs = [values[e] for e in network.outputs]
    bias = model.graph.initializer[-1]
    changed = numpy_helper.to_array(bias).copy()
    missing = float(max(outputs[j] for j in question.others) - outputs[question.label]) + lead
    changed[question.label] += -missing if model.graph.node[-1].op_type == "Sub" else missing
    bias.CopyFrom(numpy_helper.from_array(changed, bias.name))
    onnx.save(model, path)


# Damages: each returns the damaged records, or None if there is nothing to damage.

def any_of(rng, records, *names):
    """The place of a random record of these kinds, but not in trees of elements, where subproblems may stay open."""
    found, in_elements = [], False
    for i, record in enumerate(records):
        if record.name in ("ELEMENTS", "ELEMENTS_END"):
            in_elements = record.name == "ELEMENTS"
        if record.name in names and not in_elements:
            found.append(i)
    return int(rng.choice(found)) if found else None


def without_a_closing(rng, records):
    """A subproblem, for example a child of a split, is dropped."""
    i = any_of(rng, records, "CLOSE", "BARE", "PROGRAM")
    return None if i is None else records[:i] + records[i + 1:]


def without_a_split(rng, records):
    i = any_of(rng, records, "SPLIT")
    return None if i is None else records[:i] + records[i + 1:]


def with_wrong_multipliers(rng, records):
    """The multipliers of a closing that is about decisions alone make its bound negative."""
    if any(record.name in ("NARROW", "IMPLY") for record in records):
        return None
    decided = {}  # by subproblem
    closings, next_number = [], 0
    for i, record in enumerate(records):
        if record.name == "TREE":
            next_number = len(record["targets"])
            decided = {root: [] for root in range(next_number)}
        elif record.name == "ELEMENTS":
            decided = {}
        elif record.name == "SPLIT" and record["subproblem"] in decided:
            for child in (next_number, next_number + 1):
                decided[child] = decided[record["subproblem"]] + [record["unit"]]
            next_number += 2
        elif record.name == "CLOSE" and decided.get(record["subproblem"]):
            closings.append((i, decided[record["subproblem"]]))
    if not closings:
        return None
    i, units = closings[rng.integers(len(closings))]
    for unit in units:
        records[i]["multipliers"].values[unit] = -1e9
    return records


def with_another_network(rng, records):
    records[1].fields["digest"] = "0" * 64
    return records


def with_a_smaller_unsafe_set(rng, records):
    i = any_of(rng, records, "UNSAFE")
    if i is None:
        return None
    conjunctions = records[i]["conjunctions"]
    conjunctions[rng.integers(len(conjunctions))][0]["bound"] -= 1
    return records


def with_another_region(rng, records):
    i = any_of(rng, records, "PART")
    if i is not None:
        records[i].fields["digest"] = "f" * 64
        return records


def with_a_gap(rng, records):
    i = any_of(rng, records, "HALVED")
    if i is not None:
        records[i].fields["q"] = float(np.nextafter(records[i]["p"], np.inf))
        return records


def with_another_witness(rng, records):
    i = any_of(rng, records, "WITNESS")
    if i is not None:
        records[i]["input"][0] += 1e6
        return records


def without_an_end(rng, records):
    return records[:-1]


def with_something_after_the_end(rng, records):
    return records + [records[-1]]


DAMAGES = {damage.__name__: damage for damage in (
    without_a_closing, without_a_split, with_wrong_multipliers, with_another_network, with_a_smaller_unsafe_set,
    with_another_region, with_a_gap, with_another_witness, without_an_end, with_something_after_the_end)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--plumb-check", required=True)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    test = Test(arguments.plumb, arguments.plumb_check, arguments.keep)
    rest = SEEDS if arguments.first == 0 else ()
    for seed in [*range(arguments.first, arguments.first + arguments.rounds), *rest]:
        with tempfile.TemporaryDirectory() as folder:
            test.round(seed, pathlib.Path(folder))
    print("records:", ", ".join(f"{count:,} {name}" for name, count in test.met.most_common()))
    print("damages:", ", ".join(f"{count:,} {name}" for name, count in test.damaged.most_common()))
    if arguments.rounds >= 60:
        for name in sorted(COMMON - set(test.met)):
            print(f"no certificate has a record {name}")
            test.failures += 1
    print(f"{test.passed} passed, {test.failures} failed")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
