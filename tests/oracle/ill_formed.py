"""Models that contradict the definition of an operation: ONNX Runtime refuses them, and Plumb must refuse them too. If
the contradiction were ignored, each would be a different network."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from models import Graph


def ill_formed(label, operation, x, *operands, opset=13, outputs=1, change=None, **attributes):
    """The case of one node on an input of shape x. An operand is an array, or None if it is left out. `change` edits
    the finished node."""
    g = Graph("ill-formed", f"{operation}: {label}", opset, infer=False)
    names = ["" if c is None else g.constant(c, np.asarray(c).dtype) for c in operands]
    g.node(operation, g.input(*x), *names, outputs=outputs, name="misfit", **attributes)
    if change:
        change(g.nodes[0])
    return g.end("misfit_out0", offending=[("misfit", operation)], runtime_refuses=True)


def floats(*shape):
    return np.ones(shape, np.float32)


def attributes_of_others():
    yield ill_formed("transb for transB", "Gemm", (1, 4), floats(4, 4), floats(4), transb=1)
    yield ill_formed("alpha", "MatMul", (1, 4), floats(4, 4), alpha=2.0)
    yield ill_formed("stride for strides", "Conv", (1, 1, 4, 4), floats(1, 1, 2, 2), stride=[2, 2])
    yield ill_formed("min and max are inputs since opset 11", "Clip", (1, 4), min=0.0, max=1.0)
    yield ill_formed("axes are an input since opset 13", "ReduceSum", (1, 4), axes=[1])
    yield ill_formed("axes are no input before opset 18", "ReduceMax", (1, 4), np.array([1]), opset=17)
    yield ill_formed("pads are an input since opset 11", "Pad", (1, 4), pads=[0, 1, 0, 1])
    yield ill_formed("allowzero came with opset 14", "Reshape", (1, 4), np.array([2, 2]), allowzero=1)
    yield ill_formed("ceil_mode came with opset 10", "MaxPool", (1, 1, 4), opset=9, kernel_shape=[2], ceil_mode=1)
    yield ill_formed("an attribute of nobody", "Relu", (1, 4), wobble=1)


def kinds_and_counts():
    def twice(node):
        node.attribute.append(helper.make_attribute("transB", 1))

    def untyped(node):
        node.attribute[0].ClearField("type")

    square = [floats(4, 4), floats(4)]
    yield ill_formed("transB is a float", "Gemm", (1, 4), *square, transB=1.0)
    yield ill_formed("alpha is an int", "Gemm", (1, 4), *square, alpha=2)
    yield ill_formed("transB is given twice", "Gemm", (1, 4), *square, transB=0, change=twice)
    yield ill_formed("transB says no kind", "Gemm", (1, 4), *square, transB=1, change=untyped)
    yield ill_formed("strides is an int", "Conv", (1, 1, 4), floats(1, 1, 2), strides=2)
    yield ill_formed("no axis", "Concat", (1, 4), floats(1, 4))
    yield ill_formed("no kernel_shape", "MaxPool", (1, 1, 4))
    yield ill_formed("no C before opset 11", "Gemm", (1, 4), floats(4, 4), opset=10)
    yield ill_formed("two inputs", "Relu", (1, 4), floats(4))
    yield ill_formed("a second input that is left out", "Relu", (1, 4), None)
    yield ill_formed("three inputs", "Add", (1, 4), floats(4), floats(4))
    yield ill_formed("no weights", "Conv", (1, 1, 4), None, floats(1))
    yield ill_formed("two results", "Relu", (1, 4), outputs=2)
    yield ill_formed("came with opset 9", "Where", (1, 4), floats(4), floats(4), opset=8)
    yield ill_formed("pads beside auto_pad", "Conv", (1, 1, 4), floats(1, 1, 2), auto_pad="VALID", pads=[0, 0])
    yield ill_formed("pads as large as the window", "MaxPool", (1, 1, 4), kernel_shape=[2], pads=[2, 0])
    yield ill_formed("unequal parts before opset 18", "Split", (1, 7), axis=1, outputs=2)
    yield ill_formed("sizes for other results", "Split", (1, 7), np.array([3, 4]), axis=1, outputs=3)


def mixed_types():
    double, integer = np.float64, np.int64
    for operation in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean", "PRelu"):
        yield ill_formed("float and double", operation, (1, 4), floats(4).astype(double))
        if operation != "PRelu":
            yield ill_formed("float and int64", operation, (1, 4), floats(4).astype(integer))
    yield ill_formed("float and double", "MatMul", (1, 4), floats(4, 4).astype(double))
    yield ill_formed("float and float16", "MatMul", (1, 4), floats(4, 4).astype(np.float16))
    yield ill_formed("float and a double bias", "Gemm", (1, 4), floats(4, 4), floats(4).astype(double))
    yield ill_formed("float and double", "Conv", (1, 1, 4), floats(1, 1, 2).astype(double))
    yield ill_formed("float and a double limit", "Clip", (1, 4), np.array(0.0, double))
    yield ill_formed("float and double", "Concat", (1, 4), floats(1, 4).astype(double), axis=1)
    yield ill_formed("float and double parameters", "BatchNormalization", (1, 4), floats(4), floats(4), floats(4),
                     floats(4).astype(double))
    yield ill_formed("a double filling", "Pad", (1, 4), np.array([0, 1, 0, 1]), np.array(0.5, double))
    yield ill_formed("an int32 shape", "Reshape", (1, 4), np.array([2, 2], np.int32))
    yield ill_formed("a uint8 index", "Gather", (1, 4), np.array([0], np.uint8), axis=1)
    yield ill_formed("a condition of floats", "Where", (1, 4), floats(1, 4), floats(1, 4))
    yield ill_formed("pads of int32", "Pad", (1, 4), np.array([0, 1, 0, 1], np.int32))


def declared_otherwise():
    g = Graph("ill-formed", "an output declared as double")
    model = onnx.load_from_string(g.end(g.node("Relu", g.input(1, 4), name="misfit")).model)
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    case = g.end("misfit_out0", offending=[("misfit_out0", "")], runtime_refuses=True)
    case.model = model.SerializeToString()
    yield case


GROUPS = [attributes_of_others, kinds_and_counts, mixed_types, declared_otherwise]
