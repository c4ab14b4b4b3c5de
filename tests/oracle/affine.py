"""Cases for the affine operations: Gemm, MatMul, Conv, ConvTranspose, BatchNormalization."""

from itertools import product

import numpy as np

from models import Graph, opsets_of


def gemm():
    for opset, trans_a, trans_b in product(opsets_of("Gemm"), (0, 1), (0, 1)):
        g = Graph("Gemm", f"transA={trans_a} transB={trans_b} alpha, beta", opset)
        x = g.input(*((6, 2) if trans_a else (2, 6)))
        w = g.weights(*((4, 6) if trans_b else (6, 4)))
        y = g.node("Gemm", x, w, g.weights(4), transA=trans_a, transB=trans_b, alpha=0.7, beta=-1.3)
        yield g.end_in_dense_layers(y)
    for shape in [(), (1,), (4,), (1, 4), (3, 1), (1, 1), (3, 4)]:
        for opset in (8, 13):
            g = Graph("Gemm", f"C of shape {shape}", opset)
            y = g.node("Gemm", g.input(3, 5), g.weights(5, 4), g.constant(g.values(*shape)), beta=0.5)
            yield g.end_in_dense_layers(y)
    for label, c in [("no C", []), ("empty name for C", [""])]:
        for opset in (11, 13, 21):
            g = Graph("Gemm", label, opset)
            yield g.end_in_dense_layers(g.node("Gemm", g.input(1, 5), g.weights(5, 4), *c, alpha=2.5))
    for trans_a, trans_b in product((0, 1), (0, 1)):
        g = Graph("Gemm", f"variable on the right, transA={trans_a} transB={trans_b}")
        x = g.input(*((3, 6) if trans_b else (6, 3)))
        w = g.weights(*((6, 4) if trans_a else (4, 6)))
        yield g.end_in_dense_layers(g.node("Gemm", w, x, g.weights(4, 1), transA=trans_a, transB=trans_b))
    g = Graph("Gemm", "variable C")
    x = g.input(1, 5)
    yield g.end_in_dense_layers(g.node("Gemm", x, g.weights(5, 5), g.node("Relu", x), beta=0.3))
    g = Graph("Gemm", "alpha 0 and beta 0")
    x = g.input(1, 5)
    y = g.node("Gemm", x, g.weights(5, 3), g.weights(3), alpha=0.0)
    z = g.node("Gemm", x, g.weights(5, 3), g.weights(3), beta=0.0)
    yield g.end_in_dense_layers(y, z)


def matmul():
    right = [((1, 6), (6, 4)), ((6,), (6, 4)), ((6,), (6,)), ((3, 6), (6,)), ((2, 3, 6), (6,)), ((2, 3, 6), (6, 4)),
             ((1, 2, 3, 6), (2, 6, 4)), ((2, 3, 6), (1, 2, 6, 4)), ((3, 6), (2, 6, 4)), ((2, 1, 3, 6), (4, 6, 5)),
             ((6,), (2, 6, 4))]
    left = [((4, 6), (6, 1)), ((4, 6), (6,)), ((6,), (6, 4)), ((3,), (2, 3, 5)), ((4, 3), (1, 2, 3, 5)),
            ((2, 4, 3), (1, 2, 3, 5)), ((3, 1, 4, 5), (2, 5, 3)), ((2, 4, 3), (3, 5))]
    for opset in opsets_of("MatMul"):
        for x, w in right:
            g = Graph("MatMul", f"x{list(x)} @ W{list(w)}", opset)
            yield g.end_in_dense_layers(g.node("MatMul", g.input(*x), g.weights(*w)))
        for w, x in left:
            g = Graph("MatMul", f"W{list(w)} @ x{list(x)}", opset)
            yield g.end_in_dense_layers(g.node("MatMul", g.weights(*w), g.input(*x)))
    g = Graph("MatMul", "W @ x + b, then V @ y, no batch dimension")
    x = g.input(5)
    hidden = g.node("Relu", g.node("Add", g.node("MatMul", g.weights(7, 5), x), g.weights(7)))
    yield g.end(g.node("Add", g.node("MatMul", g.weights(3, 7), hidden), g.weights(3)))


CONV_2D = [
    ("plain", (3, 7, 6), (4, 3, 3, 3), {}),
    ("no bias", (3, 7, 6), (4, 3, 3, 2), {"bias": False}),
    ("symmetric pads", (2, 6, 5), (3, 2, 3, 3), {"pads": [1, 1, 1, 1]}),
    ("asymmetric pads", (2, 6, 5), (3, 2, 3, 3), {"pads": [2, 0, 1, 3]}),
    ("strides", (2, 9, 8), (3, 2, 3, 3), {"strides": [2, 3]}),
    ("strides and asymmetric pads", (2, 9, 8), (3, 2, 4, 3), {"strides": [3, 2], "pads": [1, 2, 0, 1]}),
    ("dilations", (2, 9, 8), (3, 2, 3, 2), {"dilations": [2, 3]}),
    ("dilations, strides, pads", (2, 9, 8), (3, 2, 3, 2),
     {"dilations": [2, 3], "strides": [2, 1], "pads": [2, 1, 1, 0]}),
    ("groups", (4, 6, 6), (6, 2, 3, 3), {"group": 2}),
    ("depthwise", (3, 6, 6), (3, 1, 3, 3), {"group": 3, "pads": [1, 1, 1, 1]}),
    ("depthwise with multiplier", (3, 6, 6), (6, 1, 3, 3), {"group": 3, "strides": [2, 2]}),
    ("1x1", (5, 4, 4), (3, 5, 1, 1), {}),
    ("kernel covers the input", (2, 4, 5), (3, 2, 4, 5), {}),
    ("explicit kernel_shape", (2, 6, 5), (3, 2, 3, 2), {"kernel_shape": [3, 2]}),
]
CONV_AUTO = [
    ("strides 1", (2, 6, 5), (3, 2, 3, 3), {}),
    ("even kernel", (2, 6, 5), (3, 2, 4, 2), {}),
    ("strides 2", (2, 8, 7), (3, 2, 3, 4), {"strides": [2, 2]}),
    ("strides 3", (2, 8, 7), (3, 2, 2, 4), {"strides": [3, 3]}),
]


def convolution(operation, label, opset, x_shape, w_shape, batch=1, bias=True, **attributes):
    g = Graph(operation, label, opset)
    w = g.weights(*w_shape)
    channels = w_shape[0] if operation == "Conv" else w_shape[1] * attributes.get("group", 1)
    extra = [g.weights(channels)] if bias else []
    return g.end_in_dense_layers(g.node(operation, g.input(batch, *x_shape), w, *extra, **attributes))


def conv():
    for opset in opsets_of("Conv"):
        for label, x, w, attributes in CONV_2D:
            yield convolution("Conv", f"2-D {label}", opset, x, w, **attributes)
        for auto_pad, (label, x, w, attributes) in product(("SAME_UPPER", "SAME_LOWER", "VALID"), CONV_AUTO):
            yield convolution("Conv", f"2-D {auto_pad} {label}", opset, x, w, auto_pad=auto_pad, **attributes)
        yield convolution("Conv", "1-D plain", opset, (3, 9), (4, 3, 3))
        yield convolution("Conv", "1-D all attributes", opset, (4, 12), (6, 2, 3), bias=False, group=2,
                          dilations=[2], strides=[2], pads=[3, 1])
        yield convolution("Conv", "1-D SAME_LOWER", opset, (2, 9), (3, 2, 4), auto_pad="SAME_LOWER", strides=[2])
    yield convolution("Conv", "batch of 2", 13, (2, 5, 5), (3, 2, 3, 3), batch=2)
    for auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        yield convolution("Conv", f"{auto_pad}, one element behind the last window", 13, (2, 6, 8), (3, 2, 1, 2),
                          auto_pad=auto_pad, strides=[2, 3])
    yield convolution("Conv", "NOTSET with pads", 13, (2, 7, 7), (3, 2, 3, 3), auto_pad="NOTSET", pads=[0, 1, 2, 0])


TRANSPOSED_2D = [
    ("plain", (3, 4, 3), (3, 2, 3, 3), {}),
    ("no bias", (3, 4, 3), (3, 2, 3, 2), {"bias": False}),
    ("strides", (3, 4, 3), (3, 2, 3, 3), {"strides": [2, 3]}),
    ("strides beyond the kernel", (2, 3, 3), (2, 2, 2, 2), {"strides": [3, 3]}),
    ("symmetric pads", (3, 4, 3), (3, 2, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ("asymmetric pads", (3, 4, 3), (3, 2, 4, 3), {"strides": [2, 2], "pads": [0, 1, 2, 0]}),
    ("output_padding", (3, 4, 3), (3, 2, 3, 3), {"strides": [2, 3], "output_padding": [1, 2]}),
    ("output_padding and pads", (3, 4, 3), (3, 2, 3, 3),
     {"strides": [2, 2], "output_padding": [1, 1], "pads": [1, 1, 1, 1]}),
    ("dilations", (2, 4, 3), (2, 3, 2, 3), {"dilations": [2, 2], "strides": [1, 2]}),
    ("groups", (4, 3, 3), (4, 2, 3, 3), {"group": 2, "strides": [2, 2]}),
    ("depthwise", (3, 3, 3), (3, 1, 3, 3), {"group": 3}),
    ("output_shape", (2, 4, 4), (2, 3, 3, 3), {"strides": [2, 2], "output_shape": [8, 9]}),
    ("output_shape odd padding", (2, 4, 4), (2, 3, 3, 3), {"strides": [2, 2], "output_shape": [8, 8]}),
    ("VALID", (2, 4, 3), (2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "VALID"}),
    ("SAME_UPPER", (2, 4, 3), (2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ("SAME_LOWER", (2, 4, 3), (2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_LOWER"}),
    ("SAME_UPPER output_shape", (2, 4, 4), (2, 3, 3, 3),
     {"strides": [2, 2], "output_shape": [8, 8], "auto_pad": "SAME_UPPER"}),
]


def conv_transpose():
    for opset in opsets_of("ConvTranspose"):
        for label, x, w, attributes in TRANSPOSED_2D:
            yield convolution("ConvTranspose", f"2-D {label}", opset, x, w, **attributes)
        yield convolution("ConvTranspose", "1-D plain", opset, (3, 5), (3, 2, 3))
        yield convolution("ConvTranspose", "1-D all attributes", opset, (4, 5), (4, 2, 3), group=2, strides=[3],
                          pads=[1, 2], output_padding=[1], dilations=[2])


def normalisation(g, x, channels, epsilon=None, outputs=1):
    """A BatchNormalization node whose scale may be negative and whose variance may be tiny."""
    variance = g.constant(np.abs(g.values(channels)) + 0.01)
    parameters = [g.constant(g.values(channels)), g.constant(g.values(channels)),
                  g.constant(g.values(channels)), variance]
    attributes = {} if epsilon is None else {"epsilon": epsilon}
    return g.node("BatchNormalization", x, *parameters, **attributes)


def batch_normalization():
    for opset in opsets_of("BatchNormalization"):
        for epsilon in (None, 0.5, 1e-12, 3.0):
            g = Graph("BatchNormalization", f"first in the graph, epsilon {epsilon}", opset)
            yield g.end_in_dense_layers(normalisation(g, g.input(1, 3, 4, 2), 3, epsilon))
        g = Graph("BatchNormalization", "after Gemm", opset)
        y = g.node("Gemm", g.input(1, 5), g.weights(5, 6), g.weights(6))
        yield g.end_in_dense_layers(g.node("Relu", normalisation(g, y, 6, 0.1)))
        g = Graph("BatchNormalization", "before a padded Conv", opset)
        y = normalisation(g, g.input(1, 2, 5, 5), 2, 0.2)
        yield g.end_in_dense_layers(g.node("Conv", y, g.weights(3, 2, 3, 3), g.weights(3), pads=[1, 1, 1, 1]))
    for bias in (True, False):
        g = Graph("BatchNormalization", f"after Conv {'with' if bias else 'without'} bias")
        extra = [g.weights(4)] if bias else []
        y = g.node("Conv", g.input(1, 2, 5, 5), g.weights(4, 2, 3, 3), *extra, pads=[1, 1, 0, 0])
        yield g.end_in_dense_layers(g.node("Relu", normalisation(g, y, 4, 0.3)))
        g = Graph("BatchNormalization", f"after ConvTranspose with groups {'with' if bias else 'without'} bias")
        extra = [g.weights(4)] if bias else []
        y = g.node("ConvTranspose", g.input(1, 2, 3, 3), g.weights(2, 2, 3, 3), *extra, group=2, strides=[2, 2])
        yield g.end_in_dense_layers(g.node("Relu", normalisation(g, y, 4)))
    g = Graph("BatchNormalization", "after MatMul and Add, before Gemm")
    y = g.node("Add", g.node("MatMul", g.input(1, 5), g.weights(5, 6)), g.weights(6))
    yield g.end_in_dense_layers(normalisation(g, y, 6))
    g = Graph("BatchNormalization", "1-D sequence")
    yield g.end_in_dense_layers(normalisation(g, g.input(1, 3, 7), 3, 0.05))
    g = Graph("BatchNormalization", "two in a row")
    yield g.end_in_dense_layers(normalisation(g, normalisation(g, g.input(1, 3, 2, 2), 3, 0.05), 3, 0.7))
    g = Graph("BatchNormalization", "Conv with another consumer")
    y = g.node("Conv", g.input(1, 2, 4, 4), g.weights(3, 2, 3, 3), g.weights(3))
    yield g.end_in_dense_layers(normalisation(g, y, 3, 0.1), g.node("Relu", y))


GROUPS = [gemm, matmul, conv, conv_transpose, batch_normalization]
