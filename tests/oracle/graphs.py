"""Cases for the structure and storage of graphs: residual connections, several inputs and outputs, batch dimensions,
layouts, and every way to store a weight."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from models import Graph, sparse_tensor


def structure():
    g = Graph("structure", "residual blocks")
    x = g.node("Conv", g.input(1, 2, 5, 5), g.weights(4, 2, 3, 3), g.weights(4), pads=[1, 1, 1, 1])
    for _ in range(2):
        y = g.node("Relu", g.node("Conv", x, g.weights(4, 4, 3, 3), g.weights(4), pads=[1, 1, 1, 1]))
        y = g.node("Conv", y, g.weights(4, 4, 3, 3), g.weights(4), pads=[1, 1, 1, 1])
        x = g.node("Relu", g.node("Add", y, x))
    yield g.end_in_dense_layers(x)
    g = Graph("structure", "residual with a strided shortcut")
    x = g.node("Relu", g.node("Conv", g.input(1, 2, 6, 6), g.weights(3, 2, 3, 3), pads=[1, 1, 1, 1]))
    y = g.node("Conv", x, g.weights(5, 3, 3, 3), g.weights(5), pads=[1, 1, 1, 1], strides=[2, 2])
    z = g.node("Conv", x, g.weights(5, 3, 1, 1), strides=[2, 2])
    yield g.end_in_dense_layers(g.node("Relu", g.node("Add", y, z)))
    g = Graph("structure", "residual from the input over dense layers")
    x = g.input(1, 5)
    yield g.end(g.node("Add", x, g.dense(g.node("Relu", g.dense(x, 7, 5)), 5, 7)))
    g = Graph("structure", "several consumers of one tensor")
    x = g.dense(g.input(1, 5), 6, 5)
    y = g.node("Relu", x)
    yield g.end_in_dense_layers(y, g.node("Abs", x), g.node("Sub", y, x), g.node("Neg", x))
    g = Graph("structure", "densely connected")
    parts = [g.input(1, 4)]
    for k in range(3):
        parts.append(g.node("Relu", g.dense(g.node("Concat", *parts, axis=1), 3, 4 + 3 * k)))
    yield g.end_in_dense_layers(*parts)
    g = Graph("structure", "dead branch with a dense layer")
    x = g.input(1, 4)
    g.node("Relu", g.dense(x, 3, 4))
    yield g.end_in_dense_layers(x)
    g = Graph("structure", "the same weights used twice")
    x, w = g.input(1, 4), g.weights(4, 4)
    yield g.end_in_dense_layers(g.node("MatMul", g.node("Relu", g.node("MatMul", x, w)), w))
    g = Graph("structure", "maxima of maxima")
    x = g.node("Max", g.dense(g.input(1, 4), 6, 4), g.weights(6))
    x = g.node("ReduceMax", g.node("Reshape", x, g.ints(1, 2, 3)), axes=[2])
    yield g.end_in_dense_layers(g.node("Min", g.node("Flatten", x), g.weights(2)))


def inputs_and_outputs():
    g = Graph("inputs", "two of different shapes")
    x, y = g.input(1, 2, 3), g.input(1, 4)
    yield g.end_in_dense_layers(g.node("Relu", x), y)
    g = Graph("inputs", "three, used in another order, one of them unused")
    x, _, z = g.input(1, 2), g.input(1, 3), g.input(1, 2)
    yield g.end_in_dense_layers(g.node("Sub", z, x))
    g = Graph("outputs", "two")
    x = g.node("Relu", g.dense(g.input(1, 4), 6, 4))
    yield g.end(g.dense(x, 3, 6), g.dense(x, 2, 6))
    g = Graph("outputs", "an inner tensor too")
    x = g.node("Relu", g.dense(g.input(1, 4), 6, 4))
    yield g.end(g.dense(x, 3, 6), x)
    g = Graph("outputs", "before and after a ReLU")
    x = g.dense(g.input(1, 4), 6, 4)
    yield g.end(x, g.node("Relu", x))
    g = Graph("outputs", "of rank 4")
    yield g.end(g.node("Relu", g.node("Conv", g.input(1, 2, 4, 4), g.weights(3, 2, 3, 3))))
    g = Graph("outputs", "a scalar")
    x = g.node("Relu", g.dense(g.input(1, 4), 6, 4))
    yield g.end(g.node("ReduceSum", x, keepdims=0))
    g = Graph("outputs", "purely affine")
    yield g.end(g.dense(g.input(1, 4), 3, 4))
    g = Graph("outputs", "a permutation of the input")
    yield g.end(g.node("Transpose", g.input(1, 2, 3), perm=[0, 2, 1]))


def batch_dimensions():
    for label, batch in [("symbolic", "batch"), ("zero", 0), ("unnamed", None)]:
        for opset in (8, 13):
            g = Graph("batch", f"{label}, Gemm", opset)
            y = g.node("Gemm", g.input(batch, 5), g.weights(5, 4), g.weights(4))
            yield g.end(g.node("Gemm", g.node("Relu", y), g.weights(4, 3), g.weights(3)))
        g = Graph("batch", f"{label}, Conv and Flatten")
        y = g.node("Relu", g.node("Conv", g.input(batch, 2, 4, 4), g.weights(3, 2, 3, 3)))
        yield g.end(g.dense(g.node("Flatten", y), 3, 12))
        g = Graph("batch", f"{label}, Reshape to [-1, n]")
        y = g.node("Relu", g.node("Conv", g.input(batch, 2, 4, 4), g.weights(3, 2, 3, 3)))
        yield g.end(g.dense(g.node("Reshape", y, g.ints(-1, 12)), 3, 12))
        g = Graph("batch", f"{label}, Reshape to [0, -1]")
        y = g.node("Relu", g.node("Conv", g.input(batch, 2, 4, 4), g.weights(3, 2, 3, 3)))
        yield g.end(g.dense(g.node("Reshape", y, g.ints(0, -1)), 3, 12))
    g = Graph("batch", "none: 1-D input")
    y = g.node("Relu", g.node("Add", g.node("MatMul", g.input(5), g.weights(5, 4)), g.weights(4)))
    yield g.end(g.node("MatMul", y, g.weights(4, 3)))
    g = Graph("batch", "none: 2-D image")
    x = g.node("Unsqueeze", g.input(5, 4), g.ints(0, 1))
    yield g.end_in_dense_layers(g.node("Conv", x, g.weights(2, 1, 3, 3)))
    g = Graph("batch", "NHWC input that is transposed first")
    x = g.node("Transpose", g.input("N", 4, 5, 3), perm=[0, 3, 1, 2])
    y = g.node("Relu", g.node("Conv", x, g.weights(2, 3, 3, 3), g.weights(2)))
    y = g.node("Reshape", g.node("Transpose", y, perm=[0, 2, 3, 1]), g.ints(-1, 12))
    yield g.end(g.node("Add", g.node("MatMul", y, g.weights(12, 3)), g.weights(3)))


def dense_model(g, w, b):
    """x -> relu(x W + b) V, with W and b as given."""
    hidden = g.node("Relu", g.node("Add", g.node("MatMul", g.input(1, 5), w), b))
    return g.node("MatMul", hidden, g.weights(4, 3))


def storage():
    for opset, ir_version in [(8, 3), (9, 4), (13, 8)]:
        g = Graph("storage", "initialisers also listed as inputs", opset, ir_version)
        y = dense_model(g, g.weights(5, 4), g.weights(4))
        # Listed before the real input, as some exporters do.
        listed = [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in g.initializers]
        g.inputs = listed[:1] + g.inputs + listed[1:]
        yield g.end(y)
    g = Graph("storage", "float_data")
    w, b = g.values(5, 4), g.values(4)
    tensors = [g.tensor(helper.make_tensor("", TensorProto.FLOAT, v.shape, v.flatten().tolist())) for v in (w, b)]
    yield g.end(dense_model(g, *tensors))
    g = Graph("storage", "raw_data")
    tensors = [g.tensor(helper.make_tensor("", TensorProto.FLOAT, v.shape, v.tobytes(), raw=True)) for v in (w, b)]
    yield g.end(dense_model(g, *tensors))
    for label, kind, dtype in [("double_data", TensorProto.DOUBLE, np.float64),
                               ("float16 in int32_data", TensorProto.FLOAT16, np.float16)]:
        for raw in (True, False):
            g = Graph("storage", f"{label}, {'raw' if raw else 'typed'}")
            stored = w.astype(dtype)
            data = stored.tobytes() if raw else stored.flatten().tolist()
            t = g.tensor(helper.make_tensor("", kind, w.shape, data, raw=raw))
            yield g.end(dense_model(g, g.node("Cast", t, to=TensorProto.FLOAT), g.constant(b)))
    g = Graph("storage", "a network in double")
    x = g.input(1, 5, dtype=TensorProto.DOUBLE)
    y = g.node("MatMul", x, g.constant(g.random.standard_normal((5, 4)), np.float64))
    y = g.node("Relu", g.node("Add", y, g.constant(g.random.standard_normal(4), np.float64)))
    yield g.end(g.node("MatMul", y, g.constant(g.random.standard_normal((4, 3)), np.float64)))
    g = Graph("storage", "int64_data and int32_data for shapes")
    index = g.tensor(helper.make_tensor("", TensorProto.INT32, [2], [3, 0]))
    target = g.tensor(helper.make_tensor("", TensorProto.INT64, [2], [2, 2]))
    y = g.node("Gather", g.input(1, 4, 2), index, axis=1)
    yield g.end_in_dense_layers(g.node("Transpose", g.node("Reshape", y, target)))


def external_data():
    for label, padding in [("one file", 0), ("one file with gaps", 24)]:
        g = Graph("storage", f"external data, {label}")
        content, tensors = b"", []
        for values in (g.values(5, 4), g.values(4)):
            proto = numpy_helper.from_array(values)
            content += b"\x55" * padding
            mark_external(proto, "weights.bin", len(content), len(proto.raw_data))
            content += proto.raw_data
            proto.ClearField("raw_data")
            tensors.append(g.tensor(proto))
        g.side_files["weights.bin"] = content
        yield g.end(dense_model(g, *tensors))
    g = Graph("storage", "external data in a subfolder, without offset and length")
    proto = numpy_helper.from_array(g.values(5, 4))
    g.side_files["inner/weights.bin"] = proto.raw_data
    mark_external(proto, "inner/weights.bin")
    proto.ClearField("raw_data")
    yield g.end(dense_model(g, g.tensor(proto), g.weights(4)))


def sparse_storage():
    places = [("positions", [1, 2, 7, 11]), ("coordinates", [[0, 1], [0, 2], [1, 3], [2, 3]]), ("nothing", [])]
    for label, indices in places:
        g = Graph("storage", f"sparse initialiser, {label}")
        y = g.node("Gemm", g.input(1, 4), g.sparse(g.values(len(indices)), indices, [3, 4]), g.weights(3), transB=1)
        yield g.end(g.node("Relu", y))
    g = Graph("storage", "sparse initialiser of one dimension")
    yield g.end(g.node("Add", g.input(1, 4), g.sparse([2.0, -1.0], [[1], [3]], [4])))
    for opset in (11, 13, 21):
        g = Graph("storage", "sparse_value of a Constant", opset)
        w = g.node("Constant", sparse_value=sparse_tensor(g.values(3), [1, 2, 7], [2, 4]))
        yield g.end(g.node("Gemm", g.input(1, 4), w, g.weights(2), transB=1))


def mark_external(proto, location, offset=None, length=None):
    proto.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        if value is not None:
            proto.external_data.add(key=key, value=str(value))


GROUPS = [structure, inputs_and_outputs, batch_dimensions, storage, external_data, sparse_storage]
