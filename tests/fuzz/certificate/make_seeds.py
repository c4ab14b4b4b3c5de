#!/usr/bin/env python3
"""Makes the networks and the property of certificate_fuzz.cc, and its seeds: certificates of different searches.

    make_seeds.py --plumb PATH

Two more seeds close the root of a tree at once, by a CLOSE or a PROGRAM that proves too little. A checker that forgets
to look at the bound accepts them.

`other.onnx` differs from `network.onnx` in the last bias alone, by so much that the property is violated there. Call it
again whenever the format of certificates changes.
"""

import argparse
import gzip
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = HERE.parent / "seeds/certificate"
sys.path.insert(0, str(HERE.parents[1] / "checker"))
import certificate_records  # noqa: E402 (found by the line above)
# name: options of `plumb verify`
SEARCHES = {
    "inputs": ["--split", "input"],
    "units": ["--split", "unit"],
    "units_without_ranges": ["--split", "unit", "--without", "narrowing"],
}


def write_network(path, lowered):
    """Three inputs, two layers of ReLUs and a maximum; every output is lowered by a number."""
    rng = np.random.default_rng(7)
    initializers, nodes, name = [], [], "input"
    for i, (inputs, outputs) in enumerate([(3, 8), (8, 6), (6, 3)]):
        weight = (rng.integers(-8, 9, (outputs, inputs)) / 4).astype(np.float32)
        bias = (rng.integers(-4, 5, outputs) / 4 - (lowered if i == 2 else 0)).astype(np.float32)
        initializers += [numpy_helper.from_array(weight, f"w{i}"), numpy_helper.from_array(bias, f"b{i}")]
        nodes.append(helper.make_node("Gemm", [name, f"w{i}", f"b{i}"], [f"z{i}"], transB=1))
        name = f"z{i}"
        if i < 2:
            nodes.append(helper.make_node("Relu", [name], [f"r{i}"]))
            name = f"r{i}"
    nodes.append(helper.make_node("ReduceMax", [name], ["y"], axes=[1], keepdims=1))
    shape = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "fuzz", [shape("input", TensorProto.FLOAT, [1, 3])],
                              [shape("y", TensorProto.FLOAT, [1, 1])], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def write_property(path, threshold):
    lines = [f"(declare-const X_{i} Real)" for i in range(3)] + ["(declare-const Y_0 Real)"]
    lines += [f"(assert (>= X_{i} -1))\n(assert (<= X_{i} 1))" for i in range(3)]
    path.write_text("\n".join(lines + [f"(assert (<= Y_0 {threshold}))\n"]))


def answer(plumb, network, *options):
    done = subprocess.run([plumb, "verify", network, HERE / "property.vnnlib", "-q", *options], capture_output=True,
                          text=True)
    return {0: "holds", 1: "violated"}.get(done.returncode, done.stderr)


def closed_at_once(records, kind):
    """The certificate up to its tree, whose root is closed by what closes another subproblem."""
    names = [record.name for record in records]
    closing = records[names.index(kind)]
    closing.fields["subproblem"] = 0
    rest = [record for record in records if record.name in ("TREE_END", "PROVEN", "END")]
    return records[:names.index("TREE") + 1] + [closing] + rest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    write_network(HERE / "network.onnx", 0)
    write_network(HERE / "other.onnx", 4)
    write_property(HERE / "property.vnnlib", 4)
    # A little below the largest threshold, in steps of 1/8, for which the property holds: trees are small then.
    eighths = 32
    while answer(plumb, HERE / "network.onnx") != "holds":
        eighths -= 1
        write_property(HERE / "property.vnnlib", eighths / 8)
    write_property(HERE / "property.vnnlib", (eighths - 6) / 8)
    assert answer(plumb, HERE / "other.onnx") == "violated"
    SEEDS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        proof = pathlib.Path(folder) / "proof.plumb"
        for name, options in SEARCHES.items():
            assert answer(plumb, HERE / "network.onnx", *options, "--certificate", proof) == "holds", name
            (SEEDS / name).write_bytes(gzip.decompress(proof.read_bytes()))
            proof.unlink()
    for kind in ("CLOSE", "PROGRAM"):
        records = certificate_records.parse((SEEDS / "units").read_bytes())
        (SEEDS / f"{kind.lower()}_of_the_root").write_bytes(
            certificate_records.compose(closed_at_once(records, kind)))


if __name__ == "__main__":
    main()
