#!/usr/bin/env python3
"""Unusually large properties: 50 MB of text, 10,000 disjuncts. They must be read and decided.

    tests/regress/large_properties.py --plumb build/release/plumb

Uses the example's network, and a network that copies two numbers, where the truth is known.
Closing line: `N passed, N failed`.
"""

import json
import pathlib
import random
import subprocess
import sys

import onnx
from onnx import TensorProto, helper

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "cli"))

from checks import main

DIGITS = REPOSITORY / "examples/digits/digits.onnx"
PARTS = 10_000


def declarations(inputs, outputs):
    names = [f"X_{i}" for i in range(inputs)] + [f"Y_{i}" for i in range(outputs)]
    return "".join(f"(declare-const {name} Real)\n" for name in names)


def write_copying_network(path):
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "copy",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def verify(plumb, network, prop):
    done = subprocess.run([plumb, "verify", network, prop, "--json", "-q", "--timeout", "120"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode in (0, 1, 2), done.stderr
    return json.loads(done.stdout)


def fifty_megabytes_are_read_and_decided(plumb, folder):
    """5,000 boxes of 256 inputs. No digit's score reaches a thousand."""
    chance = random.Random(1)
    corner = [0.5 * chance.random() for _ in range(256)]
    with open(folder / "p.vnnlib", "w") as file:
        file.write(declarations(256, 10) + "(assert (or\n")
        for k in range(5000):
            sides = " ".join(f"(>= X_{i} {x + k * 1e-5:.6f}) (<= X_{i} {x + k * 1e-5 + 1e-4:.6f})"
                             for i, x in enumerate(corner))
            file.write(f"(and {sides} (>= Y_{k % 10} 1000))\n")
        file.write("))\n")
    assert (folder / "p.vnnlib").stat().st_size > 50_000_000
    answer = verify(plumb, DIGITS, folder / "p.vnnlib")
    assert answer["verdict"] == "holds" and answer["parts"] == answer["parts_holding"] == 5000, answer["reason"]


def one_violated_box_among_ten_thousand_is_found(plumb, folder):
    """Box k is [k, k + 1/2] twice, and y must be at least k + 1. Only a box with a smaller threshold is violated."""
    write_copying_network(folder / "copy.onnx")
    for odd in (None, 7_654):
        text = declarations(2, 2) + "(assert (or\n"
        for k in range(PARTS):
            text += (f"(and (>= X_0 {k}) (<= X_0 {k}.5) (>= X_1 {k}) (<= X_1 {k}.5)"
                     f" (>= Y_{k % 2} {k + 1 if k != odd else k}))\n")
        (folder / "p.vnnlib").write_text(text + "))\n")
        answer = verify(plumb, folder / "copy.onnx", folder / "p.vnnlib")
        assert answer["parts"] == PARTS, answer["parts"]
        assert answer["verdict"] == ("holds" if odd is None else "violated"), answer["reason"]
        assert odd is None or all(odd <= x <= odd + 0.5 for x in answer["witness"]), answer["witness"]


def ten_thousand_conditions_on_outputs_stay_one_query(plumb, folder):
    write_copying_network(folder / "copy.onnx")
    box = "".join(f"(assert (and (>= X_{i} 0) (<= X_{i} 1)))\n" for i in range(2))
    for extra, verdict in (("", "holds"), ("(and (>= Y_0 0.75) (<= Y_1 0.25))", "violated")):
        conditions = "\n".join(f"(and (>= Y_0 {k + 2}) (<= Y_1 {k}))" for k in range(PARTS))
        (folder / "p.vnnlib").write_text(declarations(2, 2) + box + f"(assert (or {conditions} {extra}))\n")
        answer = verify(plumb, folder / "copy.onnx", folder / "p.vnnlib")
        assert answer["verdict"] == verdict and answer["parts"] == 1, answer["reason"]


CHECKS = (fifty_megabytes_are_read_and_decided, one_violated_box_among_ten_thousand_is_found,
          ten_thousand_conditions_on_outputs_stay_one_query)


if __name__ == "__main__":
    sys.exit(main(CHECKS, str))
