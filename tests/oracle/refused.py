"""Models that no piecewise-linear verifier can handle: they must be refused, and the message must name every offending
node."""

import numpy as np
from onnx import TensorProto, helper

from models import Graph, opsets_of


def refused(g, output, *offending):
    """A case that must be refused because of the given nodes; each is (node name, operation)."""
    return g.end(output, offending=list(offending))


def curved_functions():
    for operation in ("Sigmoid", "Tanh", "Exp", "Softplus", "Elu", "Erf", "Sqrt", "Softmax", "LogSoftmax"):
        g = Graph("refused", f"{operation} inside the network")
        y = g.node(operation, g.dense(g.input(1, 4), 5, 4), name="curved_1")
        yield refused(g, g.dense(y, 3, 5), ("curved_1", operation))
    g = Graph("refused", "Tanh at the end")
    yield refused(g, g.node("Tanh", g.dense(g.input(1, 4), 5, 4), name="last"), ("last", "Tanh"))
    g = Graph("refused", "Sigmoid that is an output and goes on")
    y = g.node("Sigmoid", g.dense(g.input(1, 4), 5, 4), name="shared")
    yield g.end(g.dense(y, 3, 5), y, offending=[("shared", "Sigmoid")])


def products_of_variables():
    for operation in ("Mul", "Div", "MatMul", "Gemm"):
        g = Graph("refused", f"{operation} of two variables")
        x = g.input(2, 2)
        y = g.node("Relu", x)
        yield refused(g, g.node(operation, x, y, name="product"), ("product", operation))
    g = Graph("refused", "constant divided by a variable")
    yield refused(g, g.node("Div", g.scalar(1.0), g.input(1, 4), name="quotient"), ("quotient", "Div"))
    g = Graph("refused", "Conv with computed weights")
    x = g.input(1, 1, 3, 3)
    yield refused(g, g.node("Conv", x, g.node("Relu", x), name="filter"), ("filter", "Conv"))
    g = Graph("refused", "Pow of a variable")
    yield refused(g, g.node("Pow", g.input(1, 4), g.scalar(2.0), name="square"), ("square", "Pow"))


def data_dependent():
    g = Graph("refused", "Reshape to a shape that depends on the values")
    x = g.input(1, 4)
    target = g.node("Cast", x, to=TensorProto.INT64, name="cast")
    yield refused(g, g.node("Reshape", x, target), ("cast", "Cast"))
    g = Graph("refused", "Reshape to a shape that is an input")
    x, target = g.input(1, 4), g.input(2, dtype=TensorProto.INT64)
    yield refused(g, g.node("Reshape", x, target))
    g = Graph("refused", "NonZero")
    y = g.node("NonZero", g.input(1, 4), name="count")
    yield refused(g, g.node("Cast", y, to=TensorProto.FLOAT), ("count", "NonZero"))
    g = Graph("refused", "Gather with indices that depend on the values")
    x = g.input(1, 4)
    index = g.node("ArgMax", x, axis=1, keepdims=0, name="largest")
    yield refused(g, g.node("Gather", x, index, axis=1, name="pick"), ("largest", "ArgMax"))
    g = Graph("refused", "Cast to integers")
    y = g.node("Cast", g.input(1, 4), to=TensorProto.INT64, name="to_int")
    yield refused(g, g.node("Cast", y, to=TensorProto.FLOAT), ("to_int", "Cast"))
    g = Graph("refused", "Dropout in training mode")
    y = g.node("Dropout", g.input(1, 4), g.scalar(0.5), g.scalar(True, bool), name="noise")
    yield refused(g, g.dense(y, 3, 4), ("noise", "Dropout"))


def control_flow():
    def body(name):
        return helper.make_graph(
            [helper.make_node("Constant", [], ["chosen"], value=helper.make_tensor("v", 1, [1, 3], [1.0, 2.0, 3.0]))],
            name, [], [helper.make_tensor_value_info("chosen", TensorProto.FLOAT, [1, 3])])

    g = Graph("refused", "If")
    condition = g.node("Greater", g.node("ReduceSum", g.input(1, 4), keepdims=0), g.scalar(0.0), name="test")
    y = g.node("If", condition, then_branch=body("yes"), else_branch=body("no"), name="branch")
    yield refused(g, y, ("branch", "If"))
    loop = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["again"]), helper.make_node("Add", ["state", "state"], ["next"])],
        "body", [helper.make_tensor_value_info("k", TensorProto.INT64, []),
                 helper.make_tensor_value_info("go", TensorProto.BOOL, []),
                 helper.make_tensor_value_info("state", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info("again", TensorProto.BOOL, []),
         helper.make_tensor_value_info("next", TensorProto.FLOAT, [1, 4])])
    g = Graph("refused", "Loop")
    y = g.node("Loop", g.scalar(3, np.int64), g.scalar(True, bool), g.input(1, 4), body=loop, name="repeat")
    yield refused(g, y, ("repeat", "Loop"))


def others():
    g = Graph("refused", "an operation of an unknown domain")
    y = g.node("Wobble", g.dense(g.input(1, 4), 5, 4), domain="example.org", name="foreign")
    yield refused(g, y, ("foreign", "Wobble"))
    g = Graph("refused", "Relu of an unknown domain")
    y = g.node("Relu", g.dense(g.input(1, 4), 5, 4), domain="example.org", name="foreign_relu")
    yield refused(g, y, ("foreign_relu", "Relu"))
    g = Graph("refused", "an operation that does not exist")
    yield refused(g, g.node("Fold", g.input(1, 4), name="nonsense"), ("nonsense", "Fold"))
    g = Graph("refused", "two different ones in a chain")
    y = g.node("Tanh", g.dense(g.input(1, 4), 5, 4), name="first_bad")
    y = g.node("Exp", g.dense(y, 5, 5), name="second_bad")
    yield refused(g, g.dense(y, 3, 5), ("first_bad", "Tanh"), ("second_bad", "Exp"))
    g = Graph("refused", "two on separate branches")
    x = g.input(1, 4)
    y = g.node("Sigmoid", x, name="gate")
    z = g.node("Tanh", x, name="candidate")
    yield refused(g, g.node("Add", y, z), ("gate", "Sigmoid"), ("candidate", "Tanh"))
    g = Graph("refused", "several that would be dropped at the end")
    y = g.node("Sigmoid", g.dense(g.input(1, 4), 5, 4), name="first_bad")
    y = g.node("Softmax", g.dense(y, 5, 5), name="second_bad")
    y = g.node("Sigmoid", g.node("Relu", g.node("Flatten", y)), name="third_bad")
    yield refused(g, g.dense(y, 3, 5), ("first_bad", "Sigmoid"), ("second_bad", "Softmax"), ("third_bad", "Sigmoid"))
    g = Graph("refused", "curved and data-dependent together")
    x = g.input(1, 4)
    y = g.node("Exp", x, name="power")
    y = g.node("NonZero", y, name="where")
    y = g.node("Cast", y, to=TensorProto.FLOAT)
    yield refused(g, y, ("power", "Exp"), ("where", "NonZero"))


def casts_that_round():
    """Such a Cast changes values at run time: x + 2048 is rounded to a multiple of 2 in float16."""
    for label, to in [("float16", TensorProto.FLOAT16), ("bfloat16", TensorProto.BFLOAT16)]:
        for opset in opsets_of("Cast"):
            g = Graph("refused", f"Cast to {label} and back", opset)
            y = g.node("Cast", g.node("Add", g.input(1, 4), g.scalar(2048.0)), to=to, name="narrow")
            yield refused(g, g.node("Cast", y, to=TensorProto.FLOAT), ("narrow", "Cast"))
    g = Graph("refused", "Cast of the input to float16")
    yield refused(g, g.node("Cast", g.input(1, 4), to=TensorProto.FLOAT16, name="narrow"), ("narrow", "Cast"))
    g = Graph("refused", "Cast of a double input to float32")
    x = g.input(1, 4, dtype=TensorProto.DOUBLE)
    yield refused(g, g.dense(g.node("Cast", x, to=TensorProto.FLOAT, name="narrow"), 3, 4), ("narrow", "Cast"))
    g = Graph("refused", "Cast from bfloat16 to float16")
    y = g.node("Cast", g.input(1, 4, dtype=TensorProto.FLOAT16), to=TensorProto.FLOAT)
    yield refused(g, g.node("Cast", y, to=TensorProto.BFLOAT16, name="narrow"), ("narrow", "Cast"))
    computed = {"Add": lambda g: [g.constant(g.values(4), np.float64)], "Pad": lambda g: [g.ints(0, 0, 0, 1), ten_thirds(g)],
                "Concat": lambda g: [g.constant(g.values(1, 4), np.float64)]}
    for operation, others in computed.items():
        g = Graph("refused", f"Cast back to float32 behind {operation} in double")
        y = g.node("Cast", g.input(1, 4), to=TensorProto.DOUBLE)
        y = g.node(operation, y, *others(g), **({"axis": 1} if operation == "Concat" else {}))
        yield refused(g, g.node("Cast", y, to=TensorProto.FLOAT, name="narrow"), ("narrow", "Cast"))


def ten_thirds(g):
    return g.scalar(10 / 3, np.float64)


def places_that_differ():
    """Windows and pads that ONNX does not define, or that ONNX Runtime places elsewhere."""
    def one(label, operation, x, *operands, opset=19, **attributes):
        g = Graph("refused", f"{operation}: {label}", opset)
        weights = [g.weights(*c) if isinstance(c, tuple) else g.ints(*c) for c in operands]
        return refused(g, g.node(operation, g.input(*x), *weights, name="open", **attributes), ("open", operation))

    for auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        for operation, weights in [("Conv", [(1, 1, 1)]), ("MaxPool", []), ("AveragePool", [])]:
            size = {} if weights else {"kernel_shape": [1]}
            yield one(f"{auto_pad}, kernel 1 and stride 3 over 6", operation, (1, 1, 6), *weights, auto_pad=auto_pad,
                      strides=[3], **size)
        yield one(f"{auto_pad}, kernel 1 and stride 2", "ConvTranspose", (1, 1, 4), (1, 1, 1), auto_pad=auto_pad, strides=[2])
        yield one(f"{auto_pad}, dilations", "MaxPool", (1, 1, 7), auto_pad=auto_pad, kernel_shape=[2], dilations=[2])
        yield one(f"{auto_pad}, dilations", "Conv", (1, 1, 7), (1, 1, 2), auto_pad=auto_pad, dilations=[2])
    yield one("output_padding 2 and stride 2", "ConvTranspose", (1, 1, 4), (1, 1, 3), strides=[2], output_padding=[2])
    yield one("output_padding 1 and stride 1", "ConvTranspose", (1, 1, 4), (1, 1, 3), output_padding=[1])
    yield one("output_shape that adds 2", "ConvTranspose", (1, 1, 4), (1, 1, 3), strides=[2], output_shape=[11])
    yield one("output_shape that adds 2, SAME_UPPER", "ConvTranspose", (1, 1, 4), (1, 1, 3), strides=[2],
              output_shape=[11], auto_pad="SAME_UPPER")
    for mode in ("wrap", "reflect", "edge"):
        yield one(f"{mode} with negative pads", "Pad", (1, 7), [0, 3, 0, -2], mode=mode)
        yield one(f"{mode} with negative pads in front", "Pad", (1, 7), [0, -2, 0, 1], mode=mode)
    yield one("reflect of 4 cells beside 4", "Pad", (1, 4), [0, 4, 0, 0], mode="reflect")
    yield one("wrap of 5 cells beside 4", "Pad", (1, 4), [0, 0, 0, 5], mode="wrap")
    yield one("all cut off, some added", "Pad", (1, 4), [0, 3, 0, -4], mode="constant")
    g = Graph("refused", "Split: num_outputs that is not the number of results", 18)
    parts = g.node("Split", g.input(1, 8), axis=1, num_outputs=4, outputs=2, name="open")
    yield refused(g, parts[0], ("open", "Split"))
    yield one("pads beside auto_pad", "MaxPool", (1, 1, 7), kernel_shape=[3], pads=[1, 1], auto_pad="VALID")


GROUPS = [curved_functions, products_of_variables, data_dependent, control_flow, others, casts_that_round,
          places_that_differ]
