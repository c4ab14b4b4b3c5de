"""Cases for operations that move, copy or drop values: Concat, Split, Slice, Gather, Pad, Reshape, Flatten, Squeeze,
Unsqueeze, Transpose, Expand, Tile."""

from itertools import permutations, product

import numpy as np
from onnx import numpy_helper

from models import Graph, opsets_of


def concat():
    for opset in opsets_of("Concat"):
        for axis in (0, 1, 2) + ((-1, -3) if opset >= 11 else ()):
            g = Graph("Concat", f"two variables, axis {axis}", opset)
            x, y = g.input(2, 3, 2), g.input(2, 3, 2)
            yield g.end_in_dense_layers(g.node("Concat", x, y, axis=axis))
        g = Graph("Concat", "constants on both sides, different sizes", opset)
        x = g.input(1, 2, 3)
        yield g.end_in_dense_layers(g.node("Concat", g.weights(1, 1, 3), x, g.weights(1, 4, 3), x, axis=1))
        g = Graph("Concat", "one operand", opset)
        yield g.end_in_dense_layers(g.node("Concat", g.input(1, 4), axis=1))
    g = Graph("Concat", "feature maps of two convolutions")
    x = g.input(1, 2, 4, 4)
    maps = [g.node("Conv", x, g.weights(c, 2, 3, 3), pads=[1, 1, 1, 1]) for c in (1, 3)]
    yield g.end_in_dense_layers(g.node("Relu", g.node("Concat", *maps, axis=1)))


def split(g, x, axis, sizes, equal):
    """The parts of x. Sizes are an attribute or an input, as the opset requires, and left out if they are equal."""
    if equal:
        extra = {"num_outputs": len(sizes)} if g.opset >= 18 else {}
        return g.node("Split", x, outputs=len(sizes), axis=axis, **extra)
    if g.opset < 13:
        return g.node("Split", x, outputs=len(sizes), axis=axis, split=sizes)
    return g.node("Split", x, g.ints(*sizes), outputs=len(sizes), axis=axis)


def splits():
    for opset in opsets_of("Split"):
        for axis, sizes, equal in [(1, [2, 2, 2], True), (1, [1, 4, 1], False), (2, [3, 1], False), (0, [1, 1], True)]:
            g = Graph("Split", f"axis {axis} into {sizes}{' equal' if equal else ''}", opset)
            parts = split(g, g.input(2, 6, 4), axis, sizes, equal)
            yield g.end_in_dense_layers(parts[-1], g.node("Relu", parts[0]))
        if opset >= 11:
            g = Graph("Split", "negative axis, all parts used", opset)
            yield g.end_in_dense_layers(*split(g, g.input(1, 2, 5), -1, [1, 2, 2], False)[::-1])
    g = Graph("Split", "num_outputs that does not divide", 18)
    yield g.end_in_dense_layers(*g.node("Split", g.input(1, 7), outputs=3, axis=1, num_outputs=3)[::-1])


# starts, ends, axes, steps (None if left out)
SLICES = [
    ([1], [3], [1], None), ([0, 1], [1, 3], [0, 2], None), ([-3], [-1], [1], None), ([1], [1000000], [2], None),
    ([-1000], [2], [1], None), ([0, 0, 1], [1, 5, 3], None, None), ([2], [2 ** 63 - 1], [1], None),
]
STEPS = [
    ([0], [5], [1], [2]), ([4], [0], [1], [-1]), ([-1], [-(2 ** 63)], [1], [-1]), ([-1], [-1000], [1], [-2]),
    ([3, 0], [0, 4], [2, 1], [-2, 3]), ([2 ** 31 - 1], [-(2 ** 31)], [2], [-1]), ([1], [2 ** 63 - 1], [-2], [2]),
]


def slices():
    for opset in opsets_of("Slice"):
        for starts, ends, axes, steps in SLICES + (STEPS if opset >= 10 else []):
            if opset < 11 and axes and min(axes) < 0:
                continue
            g = Graph("Slice", f"{starts}:{ends} axes {axes} steps {steps}", opset)
            x = g.input(1, 5, 4)
            if opset < 10:
                optional = {} if axes is None else {"axes": axes}
                yield g.end_in_dense_layers(g.node("Slice", x, starts=starts, ends=ends, **optional))
                continue
            operands = [g.ints(*v) if v is not None else "" for v in (starts, ends, axes, steps)]
            while not operands[-1]:
                operands.pop()
            yield g.end_in_dense_layers(g.node("Slice", x, *operands))
    g = Graph("Slice", "steps without axes")
    operands = [g.constant(v, np.int32) for v in ([0, 4, 0], [1, 0, 4])]
    yield g.end_in_dense_layers(g.node("Slice", g.input(1, 5, 4), *operands, "", g.constant([1, -3, 2], np.int32)))


def gather():
    indices = [("scalar", 2), ("negative scalar", -1), ("1-D", [2, 0, 0]), ("1-D negative", [-1, 1, -3]),
               ("2-D", [[0, 2, 1], [-1, 0, 0]]), ("one", [1]), ("1x1", [[2]])]
    for opset in opsets_of("Gather"):
        for (label, index), axis in product(indices, (1, 2)):
            if opset < 11 and np.min(index) < 0:
                continue
            g = Graph("Gather", f"{label}, axis {axis}", opset)
            x = g.input(1, 3, 4)
            yield g.end_in_dense_layers(g.node("Gather", x, g.constant(index, np.int64), axis=axis))
        g = Graph("Gather", "axis 0 by default, int32 indices", opset)
        yield g.end_in_dense_layers(g.node("Gather", g.input(3, 2), g.constant([2, 0], np.int32)))
    g = Graph("Gather", "negative axis")
    yield g.end_in_dense_layers(g.node("Gather", g.input(1, 3, 4), g.constant([3, 1], np.int64), axis=-1))


def pad(g, x, pads, mode=None, value=None):
    attributes = {} if mode is None else {"mode": mode}
    if g.opset < 11:
        if value is not None:
            attributes["value"] = value
        return g.node("Pad", x, pads=pads, **attributes)
    return g.node("Pad", x, g.ints(*pads), *([] if value is None else [g.scalar(value)]), **attributes)


def pads():
    widths = [[0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 2, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 0, 0, 0]]
    kinds = [("constant by default", None, None), ("constant 0.7", "constant", 0.7), ("constant -3", None, -3.0),
             ("reflect", "reflect", None), ("edge", "edge", None)]
    for opset in opsets_of("Pad"):
        for pad_widths, (label, mode, value) in product(widths, kinds):
            g = Graph("Pad", f"{label} {pad_widths}", opset)
            yield g.end_in_dense_layers(pad(g, g.input(1, 2, 4, 3), pad_widths, mode, value))
        g = Graph("Pad", "channels and batch", opset)
        yield g.end_in_dense_layers(pad(g, g.input(1, 2, 2, 2), [1, 0, 0, 0, 0, 3, 0, 1], "constant", 0.5))
        g = Graph("Pad", "negative pads crop", opset)
        yield g.end_in_dense_layers(pad(g, g.input(1, 2, 4, 4), [0, 0, -1, 1, 0, 0, 0, -2], "constant", 0.5))
    for opset in (18, 19, 21):
        g = Graph("Pad", "axes given", opset)
        x = g.input(1, 2, 4, 3)
        yield g.end_in_dense_layers(g.node("Pad", x, g.ints(1, 2, 0, 1), g.scalar(0.3), g.ints(3, -2)))
    for mode, width in (("reflect", 3), ("wrap", 4), ("edge", 9)):
        g = Graph("Pad", f"{mode} of {width} cells beside 4, as far as it goes", 19)
        yield g.end_in_dense_layers(pad(g, g.input(1, 4), [0, width, 0, 1], mode))
    g = Graph("Pad", "before a Conv", 13)
    y = pad(g, g.input(1, 2, 4, 4), [0, 0, 1, 2, 0, 0, 0, 1], "constant", 0.0)
    yield g.end_in_dense_layers(g.node("Conv", y, g.weights(3, 2, 3, 3), g.weights(3)))


def reshape():
    targets = [("plain", [3, 8]), ("-1", [4, -1]), ("0 copies", [0, 0, -1]), ("0 and -1", [-1, 0, 2, 2]),
               ("one dimension", [-1]), ("higher rank", [1, 2, 1, 3, 4, 1])]
    for opset in opsets_of("Reshape"):
        for label, target in targets:
            g = Graph("Reshape", label, opset)
            y = g.node("Reshape", g.input(2, 3, 4), g.ints(*target))
            rank = len(target)
            yield g.end_in_dense_layers(g.node("Transpose", y, perm=list(range(rank))[::-1]))
        g = Graph("Reshape", "target from a Constant node", opset)
        target = g.node("Constant", value=numpy_helper.from_array(np.array([3, -1], np.int64)))
        yield g.end_in_dense_layers(g.node("Transpose", g.node("Reshape", g.input(1, 2, 6), target)))
    for opset in (14, 19, 21):
        g = Graph("Reshape", "allowzero without zeros", opset)
        yield g.end_in_dense_layers(g.node("Reshape", g.input(2, 6), g.ints(3, 4), allowzero=1))


def computed_shapes():
    """The arithmetic that exporters write for x.view(x.size(0), -1) and similar expressions."""
    for opset in (8, 11, 13, 15, 21):
        g = Graph("Reshape", "target from Shape, Gather, Unsqueeze, Concat", opset)
        x = g.node("Conv", g.input(1, 2, 4, 4), g.weights(3, 2, 3, 3))
        batch = g.node("Gather", g.node("Shape", x), g.scalar(0, np.int64), axis=0)
        batch = (g.node("Unsqueeze", batch, axes=[0]) if opset < 13 else g.node("Unsqueeze", batch, g.ints(0)))
        target = g.node("Concat", batch, g.ints(-1), axis=0)
        y = g.node("Reshape", x, target)
        yield g.end(g.dense(g.node("Relu", g.dense(y, 5, 12)), 3, 5))
    for opset in (10, 13):
        g = Graph("Reshape", "target from Shape, Slice, Mul, Cast", opset)
        x = g.input(1, 2, 3, 4)
        shape = g.node("Cast", g.node("Cast", g.node("Shape", x), to=1), to=7)
        parts = [g.node("Slice", shape, g.ints(k), g.ints(k + 1), g.ints(0)) for k in range(4)]
        product_ = g.node("Mul", parts[2], parts[3])
        y = g.node("Reshape", x, g.node("Concat", parts[0], product_, parts[1], axis=0))
        yield g.end(g.dense(g.node("Flatten", g.node("Transpose", y, perm=[0, 2, 1])), 3, 24))
    g = Graph("Reshape", "target from Add, Sub and Div of sizes", 13)
    x = g.input(2, 3, 4)
    sizes = g.node("Shape", x)
    target = g.node("Sub", g.node("Add", sizes, g.ints(3, 5, 1)), g.node("Div", sizes, g.ints(1, 1, 1)))
    target = g.node("Concat", g.node("Gather", target, g.ints(0)), g.ints(-1), axis=0)
    yield g.end(g.node("Transpose", g.node("Reshape", g.node("Relu", x), target), perm=[1, 0]))
    g = Graph("Reshape", "symbolic batch and computed target", 13)
    x = g.input("N", 2, 3)
    batch = g.node("Unsqueeze", g.node("Gather", g.node("Shape", x), g.scalar(0, np.int64)), g.ints(0))
    y = g.node("Reshape", x, g.node("Concat", batch, g.ints(6), axis=0))
    yield g.end(g.node("Relu", g.node("Gemm", y, g.weights(6, 4))))
    g = Graph("Reshape", "Shape with start and end", 15)
    x = g.input(1, 2, 3, 2)
    y = g.node("Reshape", x, g.node("Concat", g.node("Shape", x, start=0, end=2), g.ints(-1), axis=0))
    yield g.end(g.node("Transpose", y, perm=[2, 1, 0]))


def flatten():
    for opset in opsets_of("Flatten"):
        for axis in (None, 0, 1, 2, 3) + ((-1, -2) if opset >= 11 else ()):
            g = Graph("Flatten", f"axis {axis}", opset)
            y = g.node("Flatten", g.input(2, 3, 4), **({} if axis is None else {"axis": axis}))
            yield g.end_in_dense_layers(g.node("Transpose", y))


def with_axes(g, operation, x, *axes):
    return g.node(operation, x, axes=axes) if g.opset < 13 else g.node(operation, x, g.ints(*axes))


def squeezes():
    for opset in opsets_of("Squeeze"):
        for axes in [(0,), (2,), (0, 2, 4)] + ([(-1,), (-3, 0)] if opset >= 11 else []):
            g = Graph("Squeeze", f"axes {axes}", opset)
            y = with_axes(g, "Squeeze", g.input(1, 3, 1, 2, 1), *axes)
            yield g.end_in_dense_layers(g.node("Transpose", y))
        g = Graph("Squeeze", "no axes", opset)
        yield g.end_in_dense_layers(g.node("Transpose", g.node("Squeeze", g.input(1, 3, 1, 2))))
        for axes in [(0,), (1, 3), (3, 0)] + ([(-1,), (-1, 0)] if opset >= 11 else []):
            g = Graph("Unsqueeze", f"axes {axes}", opset)
            y = with_axes(g, "Unsqueeze", g.input(3, 2), *axes)
            # Broadcasting along the new dimensions shows where they are.
            wide = [2 if d == 1 else 1 for d in g.shape_of(y)]
            yield g.end_in_dense_layers(g.node("Mul", y, g.weights(*wide)))


def transpose():
    for opset in opsets_of("Transpose"):
        for perm in permutations(range(3)):
            g = Graph("Transpose", f"perm {perm}", opset)
            yield g.end_in_dense_layers(g.node("Transpose", g.input(2, 3, 4), perm=perm))
        g = Graph("Transpose", "reversed by default", opset)
        yield g.end_in_dense_layers(g.node("Transpose", g.input(1, 2, 3, 4)))


def copies():
    shapes = [((1, 3, 1), (2, 3, 4)), ((3, 1), (2, 1, 4)), ((4,), (3, 1)), ((1,), (2, 3)), ((2, 3), (1, 1))]
    for opset in opsets_of("Expand"):
        for x, target in shapes:
            g = Graph("Expand", f"{list(x)} to {list(target)}", opset)
            yield g.end_in_dense_layers(g.node("Expand", g.input(*x), g.ints(*target)))
    for opset in opsets_of("Tile"):
        for x, repeats in [((2, 3), (1, 2)), ((2, 3), (3, 1)), ((1, 2, 2), (2, 1, 3)), ((3,), (2,)), ((2, 2), (1, 1))]:
            g = Graph("Tile", f"{list(x)} by {list(repeats)}", opset)
            yield g.end_in_dense_layers(g.node("Tile", g.input(*x), g.ints(*repeats)))


GROUPS = [concat, splits, slices, gather, pads, reshape, computed_shapes, flatten, squeezes, transpose, copies]
