"""Broken, hostile or contradictory network files, for bad_input.py.

Every function yields Trial(label, name, content, codes, words, side_files, blamed): the name and bytes of the file, the
allowed exit codes, words (regular expressions) that the message must contain, files beside it, and the file that the
message must name if it is not the network. The content of a file is bytes, or a Link or Pipe.
"""

import collections
import gzip
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "oracle"))

from graphs import mark_external
from models import Graph

Trial = collections.namedtuple("Trial", "label name content codes words side_files blamed", defaults=({}, None))

# In place of a file's content: a symbolic link to `target`, and a named pipe without a writer.
Link = collections.namedtuple("Link", "target")
Pipe = collections.namedtuple("Pipe", "")

HUGE = 2 ** 40
REFUSED = (65,)


def sound_model():
    """A small valid network, from which broken ones are made byte by byte."""
    g = Graph("sound", "model")
    y = g.node("Conv", g.input(1, 2, 4, 4), g.weights(3, 2, 3, 3), g.weights(3), name="conv")
    y = g.node("Reshape", g.node("Relu", y, name="relu"), g.ints(1, -1), name="reshape")
    return g.end(g.dense(y, 3, 12)).model


def network(label, build, *words, codes=REFUSED, blamed=None, **graph_options):
    """A Trial with the model that build(Graph) makes. build() returns the names of the outputs."""
    g = Graph("broken", label, infer=False, **graph_options)
    outputs = build(g)
    case = g.end(*(outputs if isinstance(outputs, tuple) else (outputs,)))
    return Trial(label, "broken.onnx", case.model, codes, words, g.side_files, blamed)


def one_node(operation, x, *constants, name="misfit", **attributes):
    """Builds a single node on an input of shape x. A list is a tensor of integers, a tuple is the shape of weights, and
    a number or an array is a float tensor."""
    def build(g):
        operands = [g.constant(c, np.int64) if isinstance(c, list) else
                    g.weights(*c) if isinstance(c, tuple) else g.constant(c) for c in constants]
        result = g.node(operation, g.input(*x), *operands, name=name, **attributes)
        return result[0] if isinstance(result, list) else result
    return build


def damaged_files():
    model = sound_model()
    yield Trial("empty file", "empty.onnx", b"", REFUSED, ["empty"])
    yield Trial("text", "notes.onnx", b"This is not a network.\n" * 20, REFUSED, ["onnx"])
    yield Trial("empty gzip", "empty.onnx.gz", gzip.compress(b""), REFUSED, ["empty"])
    for cut in range(1, len(model), max(1, len(model) // 60)):
        yield Trial(f"cut at byte {cut}", "cut.onnx", model[:cut], REFUSED, [])
    packed = gzip.compress(model)
    for cut in range(3, len(packed), len(packed) // 8):
        words = ["gzip|compress|truncated|damaged"]
        yield Trial(f"gzip cut at byte {cut}", "cut.onnx.gz", packed[:cut], REFUSED, words)
    yield Trial("gzip with a damaged checksum", "sum.onnx.gz", packed[:-8] + b"\0\0\0\0" + packed[-4:], REFUSED, [])
    random = np.random.default_rng(1)
    for k in range(5):
        yield Trial(f"random bytes {k}", "noise.onnx", random.bytes(1000), REFUSED, [])
    # A changed byte may give another valid network, for example another weight, or an invalid one. Either outcome is
    # accepted, but nothing else.
    for place in random.permutation(len(model))[:250]:
        changed = bytearray(model)
        changed[place] ^= 1 << int(random.integers(8))
        yield Trial(f"byte {place} changed", "changed.onnx", bytes(changed), (0, 65), [])


def contradictory_graphs():
    def cycle(g):
        x = g.input(1, 4)
        g.nodes += [helper.make_node("Add", [x, "b"], ["a"], name="first"),
                    helper.make_node("Relu", ["a"], ["b"], name="second")]
        return "b"

    def own_input(g):
        g.nodes.append(helper.make_node("Add", [g.input(1, 4), "a"], ["a"], name="snake"))
        return "a"

    def twice_made(g):
        x = g.input(1, 4)
        g.nodes += [helper.make_node("Relu", [x], ["twice"], name="one"),
                    helper.make_node("Neg", [x], ["twice"], name="two")]
        return "twice"

    def twice_stored(g):
        for _ in range(2):
            g.tensor(numpy_helper.from_array(g.values(4), "twice"))
        return g.node("Add", g.input(1, 4), "twice")

    def made_and_stored(g):
        g.tensor(numpy_helper.from_array(g.values(4), "twice"))
        g.nodes.append(helper.make_node("Relu", [g.input(1, 4)], ["twice"], name="one"))
        return "twice"

    def no_such_output(g):
        g.node("Relu", g.input(1, 4))
        return "nowhere"

    def twice_input(g):
        x = g.input(1, 4)
        g.inputs.append(g.inputs[0])
        return g.node("Relu", x)

    yield network("cycle", cycle, "first|second|'a'|'b'")
    yield network("a node that reads its own output", own_input, "snake|'a'")
    yield network("dangling input", lambda g: g.node("Add", g.input(1, 4), "nowhere", name="lost"), "nowhere")
    yield network("an output nobody makes", no_such_output, "nowhere")
    yield network("two nodes make one tensor", twice_made, "twice")
    yield network("two initialisers of one name", twice_stored, "twice")
    yield network("a node makes an initialiser", made_and_stored, "twice")
    yield network("an input listed twice", twice_input, "input_0")
    yield network("no output", lambda g: (), "output")
    yield network("no input", lambda g: g.node("Relu", g.weights(4)), "input")
    yield network("opset 99", lambda g: g.node("Relu", g.input(1, 4)), "opset.*99", opset=99)
    yield network("opset 3", lambda g: g.node("Relu", g.input(1, 4)), "opset.*\\b3\\b", opset=3)
    yield network("an input of strings",
                  lambda g: g.node("Identity", g.input(1, 4, dtype=TensorProto.STRING)), "input_0")


def bad_dimensions():
    def stored(dims):
        def build(g):
            proto = TensorProto(name="stored_w", data_type=TensorProto.FLOAT, dims=dims)
            return g.node("Add", g.input(1, 4), g.tensor(proto))
        return build

    for label, dims in [("overflow", [HUGE, HUGE]), ("negative", [-4]), ("negative twice", [-2, -2]),
                        ("10 GB", [50000, 50000]), ("product wraps to 4", [2 ** 62 + 1, 4])]:
        yield network(f"initialiser dimensions: {label}", stored(dims), "stored_w")
    yield network("initialiser dimensions: 0 times overflow", stored([0, HUGE, HUGE]), "stored_w|Add_0")
    for label, shape in [("overflow", (1, HUGE, HUGE)), ("negative", (1, -5)), ("10 GB", (1, 50000, 50000))]:
        yield network(f"input dimensions: {label}", lambda g, s=shape: g.node("Relu", g.input(*s)), "input_0")
    yield network("Reshape to what overflows", one_node("Reshape", (1, 4), [HUGE, HUGE, -1]), "misfit")
    for label, target in [("another count", [3, 3]), ("two -1", [-1, -1]), ("-2", [-2, 2]),
                          ("-1 that does not divide", [3, -1])]:
        yield network(f"Reshape: {label}", one_node("Reshape", (1, 4), target), "misfit")


def memory_hogs():
    def filled(g):
        big = g.node("ConstantOfShape", g.ints(50000, 50000), name="fill")
        return g.node("Add", g.node("ReduceSum", big, keepdims=0), g.input(1, 4))

    def doubled(g):
        x = g.input(1, 4)
        for _ in range(60):
            x = g.node("Concat", x, x, axis=1)
        return x

    frame = [0, 0, 10 ** 6, 10 ** 6] * 2
    trials = [
        ("Expand to 10 GB", one_node("Expand", (1, 1), [50000, 50000])),
        ("Expand to what overflows", one_node("Expand", (1, 1), [HUGE, HUGE])),
        ("Tile to 10 GB", one_node("Tile", (1, 5), [50000, 10000])),
        ("Tile to what overflows", one_node("Tile", (4, 4), [2 ** 62, 2 ** 62])),
        ("Pad to 10 GB", one_node("Pad", (1, 1, 2, 2), frame)),
        ("Pad of 2^62", one_node("Pad", (1, 2), [0, 2 ** 62, 0, 2 ** 62])),
        ("Conv with pads of 10 GB", one_node("Conv", (1, 1, 2, 2), (1, 1, 1, 1), pads=[10 ** 6] * 4)),
        ("Conv with pads that overflow", one_node("Conv", (1, 1, 2, 2), (1, 1, 1, 1), pads=[2 ** 62] * 4)),
        ("ConvTranspose with strides of 10 GB", one_node("ConvTranspose", (1, 1, 9, 9), (1, 1, 1, 1),
                                                         strides=[10 ** 4] * 2)),
        ("ConvTranspose with strides that overflow", one_node("ConvTranspose", (1, 1, 9, 9), (1, 1, 1, 1),
                                                              strides=[2 ** 61] * 2)),
        ("MaxPool with pads that overflow", one_node("MaxPool", (1, 1, 2, 2), kernel_shape=[2, 2], pads=[2 ** 62] * 4)),
        ("MatMul of a column and a row, 10 GB", one_node("MatMul", (50000, 1), (1, 50000))),
    ]
    for label, build in trials:
        yield network(label, build, "misfit")
    yield network("ConstantOfShape of 10 GB", filled, "fill")
    yield network("Concat that doubles 60 times", doubled, "Concat")


def unusual_but_fine():
    """Valid networks that must not take exponential time or deep recursion, and must not be refused."""
    def added(g):
        x = g.input(1, 4)
        for _ in range(100):
            x = g.node("Mul", g.node("Add", x, x), g.scalar(0.5))
        return x

    def chain(g):
        x = g.input(1, 4)
        names = [x] + [f"t{k}" for k in range(20000)]
        g.nodes += [helper.make_node("Relu", [a], [b], name=f"make_{b}") for a, b in zip(names, names[1:])]
        return names[-1]

    yield network("Add(x, x) a hundred times", added, codes=(0,))
    yield network("a chain of 20,000 nodes", chain, codes=(0,))
    yield network("Clip to infinity", one_node("Clip", (1, 4), 0.0, np.inf), codes=(0,))


def bad_numbers():
    def scaled(value, dtype=np.float32):
        def build(g):
            factors = g.constant([1, 2, value, 4], dtype)
            x = g.node("Cast", g.input(1, 4), to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
            return g.node("Mul", x, factors)
        return build

    def normalised(variance, epsilon):
        parameters = [(2,), (2,), (2,), np.array([1.0, variance])]
        return one_node("BatchNormalization", (1, 2), *parameters, epsilon=epsilon)

    not_finite = "nan|inf|finite"
    for value in (np.nan, np.inf, -np.inf):
        yield network(f"a weight that is {value}", scaled(value), not_finite)
        yield network(f"a double weight that is {value}", scaled(value, np.float64), not_finite)
        bias = np.array([0, value])
        yield network(f"a Gemm bias that is {value}", one_node("Gemm", (1, 4), (4, 2), bias), not_finite)
        yield network(f"Gemm alpha {value}", one_node("Gemm", (1, 4), (4, 2), alpha=float(value)), "misfit")
    yield network("LeakyRelu alpha NaN", one_node("LeakyRelu", (1, 4), alpha=float("nan")), "misfit")
    yield network("Clip at NaN", one_node("Clip", (1, 4), np.nan), "misfit|" + not_finite)
    yield network("division by zero", one_node("Div", (1, 2), np.array([1.0, 0.0])), "misfit", "zero|" + not_finite)
    yield network("negative variance", normalised(-1.0, 1e-5), "misfit", "variance|negative|zero|" + not_finite)
    yield network("variance and epsilon zero", normalised(0.0, 0.0), "misfit", "variance|negative|zero|" + not_finite)


def bad_storage():
    def stored(**fields):
        def build(g):
            proto = TensorProto(name="stored_w", data_type=TensorProto.FLOAT, dims=[4])
            for key, value in fields.items():
                proto.float_data.extend(value) if key == "float_data" else setattr(proto, key, value)
            return g.node("Add", g.input(1, 4), g.tensor(proto))
        return build

    yield network("raw_data too short", stored(raw_data=b"\0" * 12), "stored_w")
    yield network("raw_data too long", stored(raw_data=b"\0" * 20), "stored_w")
    yield network("raw_data not whole numbers", stored(raw_data=b"\0" * 15), "stored_w")
    yield network("float_data too short", stored(float_data=[1.0] * 3), "stored_w")
    yield network("float_data too long", stored(float_data=[1.0] * 5), "stored_w")
    yield network("no data", stored(), "stored_w")
    yield network("unknown data type", stored(data_type=99, raw_data=b"\0" * 16), "stored_w")


def bad_external_data():
    def stored(location, offset=None, length=None):
        def build(g):
            g.side_files["short.bin"] = b"\0" * 8
            proto = TensorProto(name="stored_w", data_type=TensorProto.FLOAT, dims=[4])
            mark_external(proto, location, offset, length)
            return g.node("Add", g.input(1, 4), g.tensor(proto))
        return build

    yield network("missing external data", stored("gone.bin"), codes=(66,), blamed="gone.bin")
    for place in ("../../etc/passwd", "/etc/passwd", "inner/../../outside.bin", "..", ""):
        yield network(f"external data at '{place}'", stored(place), "extern|outside|folder|location")
    yield network("external data is a folder", stored("."), codes=(65, 66))
    yield network("external data too short", stored("short.bin"), "short.bin")
    yield network("external offset behind the end", stored("short.bin", 2 ** 40, 16), "short.bin|offset")
    yield network("negative external offset", stored("short.bin", -16, 16), "offset|stored_w")
    yield network("external offset that is no number", stored("short.bin", "far", 16), "offset|stored_w")
    yield network("external length of 10 GB", stored("short.bin", 0, 10 ** 10), "length|stored_w")


def external_data_behind_links():
    numbers = np.ones(4, np.float32).tobytes()

    def trial(label, location, files, *words, **fields):
        def build(g):
            g.side_files.update(files)
            proto = TensorProto(name="stored_w", data_type=TensorProto.FLOAT, dims=[4])
            mark_external(proto, location)
            return g.node("Add", g.input(1, 4), g.tensor(proto))
        return network(f"external data: {label}", build, *words, **fields)

    outside = "not inside the model's folder"
    yield trial("a link out of the folder", "out.bin", {"out.bin": Link("/etc/passwd")}, outside)
    yield trial("a folder that is a link", "out/passwd", {"out": Link("/etc")}, outside)
    yield trial("a chain of links", "a.bin", {"a.bin": Link("b.bin"), "b.bin": Link("/etc/passwd")}, outside)
    yield trial("through a folder elsewhere", "out/../etc/passwd", {"out": Link("/etc")}, outside)
    yield trial("a link to nothing", "gone.bin", {"gone.bin": Link("nothing")}, codes=(66,), blamed="gone.bin")
    yield trial("a link to itself", "loop.bin", {"loop.bin": Link("loop.bin")}, codes=(66,), blamed="loop.bin")
    yield trial("a pipe", "pipe.bin", {"pipe.bin": Pipe()}, "pipe.bin.*not a file")
    yield trial("a folder", "inner", {"inner/w.bin": numbers}, "inner.*not a file")
    yield trial("a link inside the folder", "alias.bin", {"alias.bin": Link("w.bin"), "w.bin": numbers}, codes=(0,))
    yield trial("a link to an inner folder", "alias/w.bin", {"inner/w.bin": numbers, "alias": Link("inner")}, codes=(0,))
    yield trial("there and back", "inner/../w.bin", {"inner/x.bin": numbers, "w.bin": numbers}, codes=(0,))
    beside = trial("beside a model that is a link", "w.bin", {"w.bin": numbers}, codes=(0,))
    inner = {"inner/real.onnx": beside.content}
    linked = beside._replace(content=Link("inner/real.onnx"))
    yield linked._replace(side_files={**inner, "w.bin": numbers})
    yield linked._replace(label="external data: beside the target of a model that is a link", codes=(66,), blamed="w.bin",
                          side_files={**inner, "inner/w.bin": numbers})


def bad_sparse_tensors():
    def stored(values, indices, shape=(1, 4)):
        def build(g):
            return g.node("Add", g.input(1, 4), g.sparse(values, indices, shape, name="sparse_w"))
        return build

    def with_int32_indices(g):
        y = stored([1.0], [2])(g)
        g.sparse_initializers[0].indices.CopyFrom(numpy_helper.from_array(np.array([2], np.int32)))
        return y

    def stored_twice(g):
        g.tensor(numpy_helper.from_array(g.values(4), "sparse_w"))
        return stored([1.0], [2])(g)

    for label, indices in [("descending", [2, 1]), ("twice", [1, 1]), ("negative", [-1, 2]), ("behind the end", [1, 4]),
                           ("too many", [0, 1, 2]), ("too few", [0]), ("coordinates that descend", [[0, 2], [0, 1]]),
                           ("coordinates behind the end", [[0, 1], [1, 0]]), ("coordinates twice", [[0, 1], [0, 1]]),
                           ("too many coordinates", [[0, 0, 1], [0, 0, 2]])]:
        yield network(f"sparse tensor: indices {label}", stored([1.0, 2.0], indices), "sparse_w")
    yield network("sparse tensor: values in rows", stored([[1.0], [2.0]], [1, 2]), "sparse_w")
    yield network("sparse tensor: 10 GB", stored([1.0], [2], (50000, 50000)), "sparse_w")
    yield network("sparse tensor: 800 MB", stored([1.0], [2], (10000, 10000)), "sparse_w")
    yield network("sparse tensor: overflow", stored([1.0], [2], (HUGE, HUGE)), "sparse_w")
    yield network("sparse tensor: NaN", stored([np.nan], [2]), "sparse_w")
    yield network("sparse tensor: int32 indices", with_int32_indices, "sparse_w")
    yield network("sparse tensor: also a dense one", stored_twice, "sparse_w", "twice")


def small_integers(g):
    index = g.node("Cast", g.ints(258), to=TensorProto.UINT8, name="misfit")
    return g.node("Gather", g.input(1, 4), g.node("Cast", index, to=TensorProto.INT64), axis=1)


def misfits():
    """Operands and attributes that contradict each other. The message must name the node."""
    image = (1, 2, 4, 4)
    trials = [
        ("Gemm: inner dimensions", one_node("Gemm", (1, 4), (5, 3))),
        ("Gemm: C", one_node("Gemm", (1, 4), (4, 3), (2,))),
        ("MatMul: inner dimensions", one_node("MatMul", (1, 4), (5, 3))),
        ("MatMul: batches", one_node("MatMul", (2, 3, 4), (3, 4, 5))),
        ("Conv: channels", one_node("Conv", image, (3, 5, 3, 3))),
        ("Conv: bias", one_node("Conv", image, (3, 2, 3, 3), (4,))),
        ("Conv: group does not divide", one_node("Conv", image, (3, 1, 3, 3), group=2)),
        ("Conv: group 0", one_node("Conv", image, (3, 2, 3, 3), group=0)),
        ("Conv: kernel beyond the input", one_node("Conv", image, (3, 2, 5, 5))),
        ("Conv: kernel_shape contradicts the weights", one_node("Conv", image, (3, 2, 3, 3), kernel_shape=[2, 2])),
        ("Conv: strides 0", one_node("Conv", image, (3, 2, 3, 3), strides=[0, 1])),
        ("Conv: negative strides", one_node("Conv", image, (3, 2, 3, 3), strides=[-1, 1])),
        ("Conv: dilations 0", one_node("Conv", image, (3, 2, 3, 3), dilations=[0, 1])),
        ("Conv: too few pads", one_node("Conv", image, (3, 2, 3, 3), pads=[1, 1])),
        ("Conv: weights of rank 2", one_node("Conv", image, (3, 2))),
        ("ConvTranspose: channels", one_node("ConvTranspose", image, (3, 2, 3, 3))),
        ("ConvTranspose: pads eat everything", one_node("ConvTranspose", image, (2, 2, 1, 1), pads=[3, 3, 3, 3])),
        ("BatchNormalization: channels", one_node("BatchNormalization", image, (3,), (3,), (3,), (3,))),
        ("Add: not broadcastable", one_node("Add", (1, 4), (3,))),
        ("PRelu: slopes", one_node("PRelu", (1, 4), (3,))),
        ("MaxPool: kernel beyond the input", one_node("MaxPool", image, kernel_shape=[5, 5])),
        ("MaxPool: no kernel_shape", one_node("MaxPool", image)),
        ("MaxPool: strides 0", one_node("MaxPool", image, kernel_shape=[2, 2], strides=[0, 0])),
        ("MaxPool: kernel 0", one_node("MaxPool", image, kernel_shape=[0, 2])),
        ("AveragePool: negative pads", one_node("AveragePool", image, kernel_shape=[2, 2], pads=[-9, 0, 0, 0])),
        ("Concat: axis", one_node("Concat", (1, 4), (1, 4), axis=2)),
        ("Concat: sizes", one_node("Concat", (1, 4), (2, 3), axis=1)),
        ("Gather: index out of range", one_node("Gather", (1, 4), [4], axis=1)),
        ("Gather: negative index out of range", one_node("Gather", (1, 4), [-5], axis=1)),
        ("Gather: axis", one_node("Gather", (1, 4), [0], axis=5)),
        ("Slice: step 0", one_node("Slice", (1, 4), [0], [4], [1], [0])),
        ("Slice: axis", one_node("Slice", (1, 4), [0], [4], [7])),
        ("Split: sizes", one_node("Split", (1, 4), [1, 2], axis=1, outputs=2)),
        ("Transpose: not a permutation", one_node("Transpose", (1, 4), perm=[0, 0])),
        ("Transpose: rank", one_node("Transpose", (1, 4), perm=[0, 2, 1])),
        ("Squeeze: dimension is not 1", one_node("Squeeze", (1, 4), [1])),
        ("Unsqueeze: axis twice", one_node("Unsqueeze", (1, 4), [0, 0])),
        ("Flatten: axis", one_node("Flatten", (1, 4), axis=7)),
        ("Expand: not broadcastable", one_node("Expand", (1, 4), [3, 3])),
        ("Tile: repeats", one_node("Tile", (1, 4), [2])),
        ("Tile: negative repeats", one_node("Tile", (1, 4), [1, -2])),
        ("Pad: count", one_node("Pad", (1, 4), [1, 1])),
        ("Pad: crops everything", one_node("Pad", (1, 4), [0, -3, 0, -3])),
        ("Pad: unknown mode", one_node("Pad", (1, 4), [0, 1, 0, 1], mode="mirror")),
        ("ReduceSum: axis", one_node("ReduceSum", (1, 4), [4])),
        ("Relu: no operand", lambda g: (g.input(1, 4), g.node("Relu", name="misfit"))[1]),
        ("Add: one operand", one_node("Add", (1, 4))),
        ("Gemm: transB is a string", one_node("Gemm", (1, 4), (3, 4), transB="yes")),
        ("Cast: an integer that does not fit", small_integers),
    ]
    for label, build in trials:
        yield network(label, build, "misfit")


GROUPS = [damaged_files, contradictory_graphs, bad_dimensions, memory_hogs, unusual_but_fine, bad_numbers, bad_storage,
          bad_external_data, external_data_behind_links, bad_sparse_tensors, misfits]
