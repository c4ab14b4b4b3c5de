"""Cases for pooling and reductions: MaxPool, AveragePool, the global pools, ReduceSum, Mean, Max and Min."""

from itertools import product

from models import Graph, opsets_of

# label, input shape, attributes, first opset in which the attributes exist
MAX_POOL = [
    ("plain", (2, 6, 5), {"kernel_shape": [2, 2]}, 8),
    ("strides", (2, 7, 6), {"kernel_shape": [3, 2], "strides": [2, 3]}, 8),
    ("overlapping", (1, 6, 6), {"kernel_shape": [3, 3], "strides": [1, 1]}, 8),
    ("symmetric pads", (2, 6, 5), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}, 8),
    ("asymmetric pads", (2, 6, 5), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [0, 2, 1, 0]}, 8),
    ("SAME_UPPER", (2, 6, 5), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"}, 8),
    ("SAME_LOWER", (2, 6, 5), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_LOWER"}, 8),
    ("VALID", (2, 6, 5), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "VALID"}, 8),
    ("ceil_mode", (2, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}, 10),
    ("ceil_mode and pads", (2, 6, 7), {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 0, 1],
                                       "ceil_mode": 1}, 10),
    ("dilations", (2, 8, 7), {"kernel_shape": [3, 2], "dilations": [2, 3]}, 10),
    ("dilations, strides, pads", (2, 8, 7), {"kernel_shape": [3, 2], "dilations": [2, 2], "strides": [2, 1],
                                             "pads": [2, 1, 1, 0]}, 10),
    ("1-D", (2, 9), {"kernel_shape": [3], "strides": [2], "pads": [1, 0]}, 8),
    ("1-D ceil_mode", (2, 8), {"kernel_shape": [3], "strides": [2], "ceil_mode": 1}, 10),
    ("kernel covers the input", (2, 4, 3), {"kernel_shape": [4, 3]}, 8),
]
AVERAGE_POOL = [
    ("plain", (2, 6, 5), {"kernel_shape": [2, 2]}, 8),
    ("strides", (2, 7, 6), {"kernel_shape": [3, 2], "strides": [2, 3]}, 8),
    ("pads", (2, 6, 5), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}, 8),
    ("asymmetric pads", (2, 6, 5), {"kernel_shape": [3, 3], "strides": [1, 2], "pads": [0, 2, 1, 0]}, 8),
    ("SAME_UPPER", (2, 6, 5), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"}, 8),
    ("SAME_LOWER", (2, 6, 5), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_LOWER"}, 8),
    ("VALID", (2, 6, 5), {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "VALID"}, 8),
    ("ceil_mode", (2, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}, 10),
    ("ceil_mode and pads", (2, 6, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1],
                                       "ceil_mode": 1}, 10),
    ("dilations", (2, 8, 7), {"kernel_shape": [3, 2], "dilations": [2, 3]}, 19),
    ("1-D", (2, 9), {"kernel_shape": [3], "strides": [2], "pads": [1, 0]}, 8),
]


def pooled(operation, label, opset, shape, attributes, **case_fields):
    g = Graph(operation, label, opset)
    return g.end_in_dense_layers(g.node(operation, g.input(1, *shape), **attributes), **case_fields)


def max_pool():
    for opset, (label, shape, attributes, first) in product(opsets_of("MaxPool"), MAX_POOL):
        if opset >= first:
            yield pooled("MaxPool", label, opset, shape, attributes)
    g = Graph("MaxPool", "ceil_mode, last window would start behind the input")
    yield g.end(g.node("MaxPool", g.input(1, 1, 4, 4), kernel_shape=[1, 1], strides=[2, 2], ceil_mode=1))
    g = Graph("MaxPool", "after Conv and Relu, then Conv")
    y = g.node("Relu", g.node("Conv", g.input(1, 2, 8, 8), g.weights(3, 2, 3, 3), g.weights(3)))
    y = g.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    yield g.end_in_dense_layers(g.node("Conv", y, g.weights(2, 3, 2, 2), pads=[1, 1, 1, 1]))
    g = Graph("MaxPool", "negative values and pads")
    y = g.node("Sub", g.input(1, 2, 5, 5), g.scalar(20.0))
    yield g.end_in_dense_layers(g.node("MaxPool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]))


def average_pool():
    for opset, (label, shape, attributes, first) in product(opsets_of("AveragePool"), AVERAGE_POOL):
        for count in (0, 1):
            if opset >= first:
                chosen = attributes | {"count_include_pad": count}
                yield pooled("AveragePool", f"{label}, count_include_pad {count}", opset, shape, chosen,
                             offending=[("AveragePool_0", "AveragePool")] if runtime_mistake(opset, chosen) else None)


def runtime_mistake(opset, attributes):
    """Where ONNX Runtime 1.22 contradicts ONNX's definition of AveragePool, which shows on an input of ones. Before
    opset 19 it counts cells beyond the padding. Later it does not count the padding that auto_pad adds at the end."""
    if not attributes["count_include_pad"]:
        return False
    return attributes.get("ceil_mode") if opset < 19 else attributes.get("auto_pad") == "SAME_UPPER"


def global_pools():
    for operation in ("GlobalAveragePool", "GlobalMaxPool"):
        for shape in ((3, 4, 5), (3, 7)):
            for opset in (8, 13, 21):
                yield pooled(operation, f"{len(shape) - 1}-D", opset, shape, {})


def reduced(g, operation, x, axes, keepdims):
    """The reduction with its axes as attribute or as input, as the opset requires. None leaves the axes out."""
    as_input = g.opset >= (13 if operation == "ReduceSum" else 18)
    if as_input:
        operands = [x] if axes is None else [x, g.ints(*axes)]
        return g.node(operation, *operands, keepdims=keepdims)
    attributes = {} if axes is None else {"axes": axes}
    return g.node(operation, x, keepdims=keepdims, **attributes)


def reductions():
    choices = [None, [1], [-1], [2, 3], [1, -2], [0, 1, 2, 3], [-1, 1]]
    for operation in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"):
        for opset, axes, keepdims in product((8, 11, 13, 18), choices, (0, 1)):
            if opset < 11 and axes and min(axes) < 0:
                continue
            g = Graph(operation, f"axes {axes} keepdims {keepdims}", opset)
            yield g.end_in_dense_layers(reduced(g, operation, g.input(1, 3, 2, 4), axes, keepdims))
        g = Graph(operation, "of a layer, as the output", 18)
        yield g.end(reduced(g, operation, g.dense(g.input(1, 5), 6, 5), [1], 1))
    g = Graph("ReduceSum", "no axes, noop_with_empty_axes", 13)
    yield g.end_in_dense_layers(g.node("ReduceSum", g.input(1, 4), noop_with_empty_axes=1))
    g = Graph("ReduceMean", "empty axes, noop_with_empty_axes", 18)
    yield g.end_in_dense_layers(g.node("ReduceMean", g.input(1, 4), g.ints(), noop_with_empty_axes=1))


GROUPS = [max_pool, average_pool, global_pools, reductions]
