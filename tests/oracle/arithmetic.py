"""Cases for elementwise arithmetic: Add, Sub, Mul, Div, Neg, Sum, Cast, Constant, ConstantOfShape, Dropout, Identity."""

from itertools import product

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from models import Graph, opsets_of

# (variable, constant): every way in which one can be broadcast to the other
BROADCAST = [((1, 3, 4), ()), ((1, 3, 4), (1,)), ((1, 3, 4), (4,)), ((1, 3, 4), (3, 1)), ((1, 3, 4), (1, 3, 4)),
             ((1, 3, 4), (1, 3, 1)), ((1, 3, 1), (1, 3, 4)), ((3, 1), (3, 4)), ((4,), (2, 3, 4)), ((1, 1), (2, 1, 3)),
             ((3, 1), (2, 1, 4)), ((2, 1, 3), (4, 1))]


def with_constants():
    for operation in ("Add", "Sub", "Mul", "Div"):
        for opset, (x, c) in product((8, 14), BROADCAST):
            for side in ("right",) if operation == "Div" else ("right", "left"):
                g = Graph(operation, f"x{list(x)}, constant {list(c)} on the {side}", opset)
                values = g.values(*c)
                constant = g.constant(values if operation != "Div" else np.sign(values) * (np.abs(values) + 0.3))
                operands = (g.input(*x), constant) if side == "right" else (constant, g.input(*x))
                yield g.end_in_dense_layers(g.node(operation, *operands))


def of_variables():
    pairs = [((1, 4), (1, 4)), ((1, 3, 4), (4,)), ((3, 1), (1, 4)), ((2,), (3, 1, 2)), ((1, 1), (1, 5)),
             ((2, 1, 3), (4, 1))]
    for operation, (a, b) in product(("Add", "Sub"), pairs):
        for opset in opsets_of(operation):
            g = Graph(operation, f"x{list(a)}, y{list(b)}", opset)
            yield g.end_in_dense_layers(g.node(operation, g.input(*a), g.input(*b)))
    for operation in ("Add", "Sub"):
        g = Graph(operation, "a variable and itself")
        x = g.input(1, 4)
        yield g.end_in_dense_layers(g.node(operation, x, x), x)


def sums_and_signs():
    for opset in opsets_of("Neg"):
        g = Graph("Neg", "of a ReLU", opset)
        yield g.end_in_dense_layers(g.node("Neg", g.node("Relu", g.input(1, 2, 3))))
    for opset in opsets_of("Sum"):
        g = Graph("Sum", "one operand", opset)
        yield g.end_in_dense_layers(g.node("Sum", g.input(1, 4)))
        g = Graph("Sum", "three variables and a constant, broadcasting", opset)
        x, y = g.input(2, 3, 1), g.input(1, 4)
        yield g.end_in_dense_layers(g.node("Sum", x, g.weights(3, 1), y, g.node("Relu", x)))


def normalise_inside():
    g = Graph("Div", "after Sub: the mean and deviation of each channel", 13)
    y = g.node("Sub", g.input(1, 3, 4, 4), g.constant(g.values(1, 3, 1, 1)))
    y = g.node("Div", y, g.constant(np.abs(g.values(1, 3, 1, 1)) + 0.2))
    y = g.node("Conv", y, g.weights(2, 3, 3, 3), g.weights(2), pads=[1, 1, 1, 1])
    yield g.end_in_dense_layers(g.node("Relu", y))
    g = Graph("Mul", "constants that are computed from constants", 13)
    scale = g.node("Div", g.node("Add", g.weights(4), g.scalar(3.0)), g.constant([2.0]))
    yield g.end_in_dense_layers(g.node("Mul", g.input(1, 4), g.node("Neg", scale)))
    g = Graph("Mul", "chain of scales and shifts", 13)
    y = g.input(1, 4)
    for operation in ("Mul", "Add", "Sub", "Mul", "Add"):
        y = g.node(operation, g.constant(g.values(4)), y)
    yield g.end_in_dense_layers(y)
    g = Graph("Mul", "by zero", 13)
    yield g.end_in_dense_layers(g.node("Mul", g.input(1, 3), g.constant([0.0, 1.0, -1.0])))


def cast():
    """Casts that change no value. Casts that round are in refused.py."""
    for opset, (label, to) in product(opsets_of("Cast"), [("float32", TensorProto.FLOAT),
                                                          ("double", TensorProto.DOUBLE)]):
        g = Graph("Cast", f"to {label} and back", opset)
        y = g.node("Cast", g.node("Cast", g.input(1, 5), to=to), to=TensorProto.FLOAT)
        yield g.end_in_dense_layers(y)
    g = Graph("Cast", "to double, moved, and back")
    x = g.input(1, 2, 3)
    y = g.node("Transpose", g.node("Cast", g.node("Relu", x), to=TensorProto.DOUBLE), perm=[0, 2, 1])
    y = g.node("Concat", g.node("Flatten", y), g.node("Cast", g.node("Flatten", x), to=TensorProto.DOUBLE), axis=1)
    y = g.node("Slice", y, g.ints(1), g.ints(9), g.ints(1))
    yield g.end_in_dense_layers(g.node("Cast", y, to=TensorProto.FLOAT))
    g = Graph("Cast", "a float16 input")
    g.input_type = np.float16
    x = g.input(1, 5, dtype=TensorProto.FLOAT16)
    yield g.end_in_dense_layers(g.node("Cast", x, to=TensorProto.FLOAT))
    g = Graph("Cast", "weights stored as float16")
    w = g.node("Cast", g.constant(g.values(5, 4), np.float16), to=TensorProto.FLOAT)
    yield g.end_in_dense_layers(g.node("MatMul", g.input(1, 5), w))
    g = Graph("Cast", "weights stored as double, more digits than float32")
    w = g.constant(g.random.standard_normal((5, 4)), np.float64)
    yield g.end(g.node("MatMul", g.node("Cast", g.input(1, 5), to=TensorProto.DOUBLE), w))
    g = Graph("Cast", "integers to float")
    c = g.node("Cast", g.ints(3, -2, 7, 1), to=TensorProto.FLOAT)
    yield g.end_in_dense_layers(g.node("Mul", g.input(1, 4), c))


def constant():
    for opset in opsets_of("Constant"):
        g = Graph("Constant", "value", opset)
        tensor = numpy_helper.from_array(g.values(4))
        yield g.end_in_dense_layers(g.node("Add", g.input(1, 4), g.node("Constant", value=tensor)))
        if opset < 12:
            continue
        g = Graph("Constant", "value_float", opset)
        yield g.end_in_dense_layers(g.node("Mul", g.input(1, 4), g.node("Constant", value_float=0.7)))
        g = Graph("Constant", "value_floats", opset)
        values = [float(v) for v in g.values(4)]
        yield g.end_in_dense_layers(g.node("Mul", g.input(1, 4), g.node("Constant", value_floats=values)))
        g = Graph("Constant", "value_int", opset)
        index = g.node("Constant", value_int=2)
        yield g.end_in_dense_layers(g.node("Gather", g.input(1, 4), index, axis=1))
        g = Graph("Constant", "value_ints", opset)
        shape = g.node("Constant", value_ints=[2, 3])
        y = g.node("Transpose", g.node("Reshape", g.input(1, 6), shape), perm=[1, 0])
        yield g.end_in_dense_layers(y)


def constant_of_shape():
    for opset in opsets_of("ConstantOfShape"):
        g = Graph("ConstantOfShape", "default, joined to the input", opset)
        y = g.node("ConstantOfShape", g.ints(1, 3))
        yield g.end_in_dense_layers(g.node("Concat", y, g.input(1, 4), axis=1))
        g = Graph("ConstantOfShape", "value, added", opset)
        y = g.node("ConstantOfShape", g.ints(2, 4), value=helper.make_tensor("v", TensorProto.FLOAT, [1], [0.6]))
        yield g.end_in_dense_layers(g.node("Add", g.input(1, 4), y))
        g = Graph("ConstantOfShape", "of the input's own shape", opset)
        x = g.input(2, 3)
        y = g.node("ConstantOfShape", g.node("Shape", x),
                   value=helper.make_tensor("v", TensorProto.FLOAT, [1], [-0.4]))
        yield g.end_in_dense_layers(g.node("Max", x, y))
        g = Graph("ConstantOfShape", "scalar", opset)
        y = g.node("ConstantOfShape", g.constant([], np.int64),
                   value=helper.make_tensor("v", TensorProto.FLOAT, [1], [1.5]))
        yield g.end_in_dense_layers(g.node("Mul", g.input(1, 4), y))


def passing_through():
    for opset in opsets_of("Identity"):
        g = Graph("Identity", "of the input and of weights", opset)
        w = g.node("Identity", g.weights(4, 3))
        yield g.end_in_dense_layers(g.node("MatMul", g.node("Identity", g.input(1, 4)), w))
    for opset in opsets_of("Dropout"):
        g = Graph("Dropout", "default", opset)
        yield g.end_in_dense_layers(g.node("Dropout", g.input(1, 4)))
        g = Graph("Dropout", "ratio", opset)
        y = (g.node("Dropout", g.input(1, 4), ratio=0.9) if opset < 12 else
             g.node("Dropout", g.input(1, 4), g.scalar(0.9)))
        yield g.end_in_dense_layers(y)
    g = Graph("Dropout", "training_mode given as false")
    yield g.end_in_dense_layers(g.node("Dropout", g.input(1, 4), g.scalar(0.9), g.scalar(False, bool)))
    g = Graph("Dropout", "unused mask")
    yield g.end_in_dense_layers(g.node("Dropout", g.input(1, 4), outputs=2)[0])


GROUPS = [with_constants, of_variables, sums_and_signs, normalise_inside, cast, constant, constant_of_shape,
          passing_through]
