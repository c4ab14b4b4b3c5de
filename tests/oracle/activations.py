"""Cases for piecewise-linear functions of one or several values (Relu, Clip, Min, Max and similar), and for the final
Softmax, LogSoftmax and Sigmoid, which are dropped."""

import numpy as np

from models import Graph, opsets_of


def relu():
    for opset in opsets_of("Relu"):
        g = Graph("Relu", "on the input", opset)
        yield g.end_in_dense_layers(g.node("Relu", g.input(1, 3, 4)))
        g = Graph("Relu", "as the last operation", opset)
        yield g.end(g.node("Relu", g.dense(g.input(1, 5), 7, 5)))
        g = Graph("Relu", "twice in a row", opset)
        yield g.end(g.node("Relu", g.node("Relu", g.dense(g.input(1, 5), 7, 5))))


def leaky_relu():
    for opset in opsets_of("LeakyRelu"):
        for slope in (None, 0.0, 0.3, 1.0, 1.7, -0.4):
            g = Graph("LeakyRelu", f"alpha {slope}", opset)
            attributes = {} if slope is None else {"alpha": slope}
            yield g.end(g.node("LeakyRelu", g.dense(g.input(1, 5), 6, 5), **attributes))


def prelu():
    shapes = [(1,), (3, 1, 1), (4, 2), (3, 4, 2), (1, 3, 1, 1), (2,)]
    for opset in opsets_of("PRelu"):
        for shape in shapes:
            g = Graph("PRelu", f"slopes of shape {shape}", opset)
            slopes = g.constant(2 * g.values(*shape))
            yield g.end_in_dense_layers(g.node("PRelu", g.input(1, 3, 4, 2), slopes))
        for slope in (2.5, -1.5, 1.0, 0.0):
            g = Graph("PRelu", f"slope {slope}", opset)
            yield g.end(g.node("PRelu", g.dense(g.input(1, 5), 6, 5), g.constant([slope])))
        g = Graph("PRelu", "slopes on both sides of 1 and 0", opset)
        slopes = g.constant([-2.0, -0.1, 0.0, 0.5, 1.0, 3.0])
        yield g.end(g.node("PRelu", g.dense(g.input(1, 5), 6, 5), slopes))


def extreme_numbers():
    """The sums that represent an activation cancel here. The activation itself does not."""
    for slope in (1e5, 1e20, -1e20):
        g = Graph("LeakyRelu", f"alpha {slope}, no value below 0")
        yield g.end(g.node("LeakyRelu", g.node("Relu", g.dense(g.input(1, 5), 6, 5)), alpha=slope))
        g = Graph("PRelu", f"slope {slope}, no value below 0")
        yield g.end(g.node("PRelu", g.node("Relu", g.dense(g.input(1, 5), 6, 5)), g.constant([slope])))
    small, large = 1e-20, 1e20
    for operation, limits in (("Clip", (0.0, 1.0)), ("Clip", (-3.0, 5.0)), ("Max", (-1.0,)), ("Min", (1.0,))):
        g = Graph(operation, f"of small values, limits {limits}")
        y = g.node("Mul", g.dense(g.input(1, 5), 6, 5), g.scalar(small))
        yield g.end(g.node("Mul", g.node(operation, y, *map(g.scalar, limits)), g.scalar(large)))
    g = Graph("Abs", "of values near the largest")
    scaled = g.node("Mul", g.node("Clip", g.dense(g.input(1, 5), 6, 5), g.scalar(-1.0), g.scalar(1.0)), g.scalar(3e38))
    yield g.end(g.node("Mul", g.node("Abs", scaled), g.scalar(1e-30)))


def absolute():
    for opset in opsets_of("Abs"):
        g = Graph("Abs", "of a layer", opset)
        yield g.end(g.node("Abs", g.dense(g.input(1, 5), 6, 5)))
        g = Graph("Abs", "of the input", opset)
        yield g.end_in_dense_layers(g.node("Abs", g.input(1, 2, 3)))


def clip():
    ranges = [("hard tanh", -1.0, 1.0), ("relu6", 0.0, 6.0), ("narrow", 0.2, 0.3), ("one point", 0.5, 0.5),
              ("only min", -0.3, None), ("only max", None, 0.4), ("neither", None, None),
              ("far limits", -1e10, 1e20)]
    for opset in opsets_of("Clip"):
        for label, low, high in ranges:
            g = Graph("Clip", label, opset)
            y = g.dense(g.input(1, 5), 6, 5)
            if opset < 11:
                limits = {k: v for k, v in (("min", low), ("max", high)) if v is not None}
                yield g.end(g.node("Clip", y, **limits))
            else:
                limits = [g.scalar(v) if v is not None else "" for v in (low, high)]
                while limits and not limits[-1]:
                    limits.pop()
                yield g.end(g.node("Clip", y, *limits))
    g = Graph("Clip", "limits from Constant nodes")
    limits = [g.node("Constant", value_float=v) for v in (-0.25, 0.75)]
    yield g.end(g.node("Clip", g.dense(g.input(1, 5), 6, 5), *limits))


def minimum_and_maximum():
    for operation in ("Min", "Max"):
        for opset in opsets_of(operation):
            yield from extremum(operation, opset)


def extremum(operation, opset):
    g = Graph(operation, "with a constant of the same shape", opset)
    yield g.end(g.node(operation, g.dense(g.input(1, 5), 6, 5), g.weights(1, 6)))
    g = Graph(operation, "constant first, scalar", opset)
    yield g.end(g.node(operation, g.scalar(0.3), g.dense(g.input(1, 5), 6, 5)))
    g = Graph(operation, "constant of higher rank", opset)
    yield g.end_in_dense_layers(g.node(operation, g.input(3, 2), g.weights(2, 3, 1)))
    g = Graph(operation, "one operand", opset)
    yield g.end(g.node(operation, g.dense(g.input(1, 5), 6, 5)))
    g = Graph(operation, "two variables", opset)
    x = g.input(1, 5)
    yield g.end(g.node(operation, g.dense(x, 6, 5), g.dense(x, 6, 5)))
    g = Graph(operation, "three variables and a constant", opset)
    x = g.input(1, 5)
    yield g.end(g.node(operation, g.dense(x, 6, 5), g.weights(6), g.dense(x, 6, 5), g.dense(x, 6, 5)))
    g = Graph(operation, "two variables, broadcasting", opset)
    x, y = g.input(2, 3, 1), g.input(1, 4)
    yield g.end_in_dense_layers(g.node(operation, x, y))
    g = Graph(operation, "the same variable twice", opset)
    y = g.dense(g.input(1, 5), 6, 5)
    yield g.end(g.node(operation, y, y))
    g = Graph(operation, "a variable and its negative", opset)
    y = g.dense(g.input(1, 5), 6, 5)
    yield g.end(g.node(operation, y, g.node("Neg", y)))


def hard_sigmoid():
    for label, attributes in [("default", {}), ("alpha, beta", {"alpha": 0.7, "beta": 0.1}),
                              ("negative alpha", {"alpha": -0.5, "beta": 0.4}), ("alpha 0", {"alpha": 0.0})]:
        for opset in (8, 13, 21):
            g = Graph("HardSigmoid", label, opset)
            yield g.end(g.node("HardSigmoid", g.dense(g.input(1, 5), 6, 5), **attributes))
    g = Graph("HardSigmoid", "inside the network")
    yield g.end_in_dense_layers(g.node("HardSigmoid", g.input(1, 2, 3), alpha=0.4))


def final_activation():
    for operation in ("Softmax", "LogSoftmax", "Sigmoid"):
        axes = [{}] if operation == "Sigmoid" else [{}, {"axis": 1}] + [{"axis": -1}]
        for opset in opsets_of(operation):
            for attributes in axes:
                if attributes.get("axis") == -1 and opset < 11:
                    continue
                g = Graph(operation, f"final {attributes}", opset)
                hidden = g.node("Relu", g.dense(g.input(1, 5), 7, 5))
                y = g.node(operation, g.dense(hidden, 4, 7), **attributes)
                yield g.end(y, activation=operation)
    g = Graph("Softmax", "final, with a symbolic batch")
    y = g.node("Gemm", g.input("batch", 5), g.weights(5, 4), g.weights(4))
    yield g.end(g.node("Softmax", y, axis=1), activation="Softmax")


GROUPS = [relu, leaky_relu, prelu, extreme_numbers, absolute, clip, minimum_and_maximum, hard_sigmoid, final_activation]
