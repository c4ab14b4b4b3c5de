#!/usr/bin/env python3
"""Writes a sparse version of an ONNX network: sets the weights of smallest magnitude to zero, layer by layer.

    experiments/sparsify.py NET.onnx --zero 0.8,0.25 -o SPARSE.onnx
    experiments/sparsify.py NET.onnx --keep 0.2,0.75 -o SPARSE.onnx

Takes one fraction per layer with weights (Gemm, MatMul, Conv, ConvTranspose), in the order of the graph, or one for all
layers. The other weights of a layer are scaled so that the sum of magnitudes does not change (appendix H of Tjeng et
al.). Biases do not change, and a layer whose fraction of zeros is 0 is left alone. Exit codes: 0 done, 64 usage, 65
unsupported network.
"""

import argparse
import dataclasses
import os
import pathlib
import sys

PYTHON = pathlib.Path(__file__).resolve().parents[1] / ".deps/python/bin/python"
try:
    import numpy as np
    import onnx
    from onnx import numpy_helper
except ImportError:
    if not PYTHON.exists() or pathlib.Path(sys.executable) == PYTHON:
        sys.exit("sparsify: onnx and numpy are not there; run make setup")
    os.execv(PYTHON, [str(PYTHON), *sys.argv])


class Unfit(Exception):
    """The network or the fractions cannot be used."""


@dataclasses.dataclass
class Layer:
    weight: str
    node: str
    size: int
    zeroed: int = 0
    factor: float = 1.0


def layers_of(model):
    """The stored weights of each layer, in the order of the graph. Weights that several nodes share are one layer."""
    stored = {tensor.name for tensor in model.graph.initializer}
    layers = {}
    for node in model.graph.node:
        places = {"Gemm": (0, 1), "MatMul": (0, 1), "Conv": (1,), "ConvTranspose": (1,)}.get(node.op_type, ())
        weights = [node.input[k] for k in places if node.input[k] in stored]
        if places and not weights:
            raise Unfit(f"node '{node.name}' ({node.op_type}): its weights are not stored in the file but computed; "
                        "export the network with constants folded")
        for weight in weights:
            tensor = next(t for t in model.graph.initializer if t.name == weight)
            layers.setdefault(weight, Layer(weight, node.name, int(np.prod(tensor.dims))))
    if not layers:
        raise Unfit("the network has no layer with weights")
    return list(layers.values())


def sparse(weights, fraction):
    """Sets the smallest `fraction` of the weights to zero and scales the rest to the same l1 norm. Returns the weights,
    how many were set to zero, and the factor."""
    flat = weights.reshape(-1).astype(np.float64)
    count = int(fraction * flat.size + 1e-9)
    total = np.abs(flat).sum()
    flat[np.argsort(np.abs(flat), kind="stable")[:count]] = 0
    left = np.abs(flat).sum()
    factor = total / left if left > 0 else 1.0
    return (flat * factor).reshape(weights.shape).astype(weights.dtype), count, factor


def sparsified(model, fractions):
    """A copy of the model, and a report on each layer. `fractions` are the fractions of zeros: one per layer, or one
    for all."""
    layers = layers_of(model)
    if len(fractions) == 1:
        fractions = fractions * len(layers)
    if len(fractions) != len(layers):
        raise Unfit(f"{len(fractions)} fractions for {len(layers)} layers: "
                    + ", ".join(f"{layer.weight} ({layer.size:,})" for layer in layers))
    if not all(0 <= fraction < 1 for fraction in fractions):
        raise Unfit(f"fractions must lie in [0, 1), and are {', '.join(map(str, fractions))}")
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for layer, fraction in zip(layers, fractions):
        tensor = next(t for t in copy.graph.initializer if t.name == layer.weight)
        weights = numpy_helper.to_array(tensor)
        if weights.dtype not in (np.float32, np.float64, np.float16):
            raise Unfit(f"{layer.weight}: weights of type {weights.dtype} are not supported")
        if int(fraction * layer.size + 1e-9) == 0:
            continue
        changed, layer.zeroed, layer.factor = sparse(weights, fraction)
        tensor.CopyFrom(numpy_helper.from_array(changed, layer.weight))
    return copy, layers


def fractions_of(text):
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers such as 0.8,0.25") from None


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"sparsify: {message}\n")


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", metavar="NET.onnx")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--zero", type=fractions_of, metavar="F,...",
                       help="fraction of each layer's weights to set to zero")
    which.add_argument("--keep", type=fractions_of, metavar="F,...", help="fraction of each layer's weights to keep")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.onnx")
    arguments = parser.parse_args()
    zero = arguments.zero if arguments.zero is not None else [1 - keep for keep in arguments.keep]
    try:
        model, layers = sparsified(onnx.load(arguments.network), zero)
        onnx.save(model, arguments.output)
    except (Unfit, OSError) as problem:
        print(f"sparsify: {arguments.network}: {problem}", file=sys.stderr)
        return 65
    except Exception as problem:  # of protobuf, whose type depends on its version
        print(f"sparsify: {arguments.network} is no ONNX file: {problem}", file=sys.stderr)
        return 65
    for layer in layers:
        print(f"{layer.weight}: {layer.zeroed:,} of {layer.size:,} weights zeroed, the rest times {layer.factor:.6g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
