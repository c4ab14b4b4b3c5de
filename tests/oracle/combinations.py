"""Random networks of many operations, for defects in their interaction: folding, fusing, sharing."""

import numpy as np

from affine import normalisation
from models import Graph

NETWORKS = 150


def convolved(g, x, shape):
    channels = int(g.random.integers(1, 5))
    kernel = [int(min(k, n)) for k, n in zip(g.random.integers(1, 4, 2), shape[2:])]
    bias = [g.weights(channels)] if g.random.integers(2) else []
    pads, strides = g.random.integers(0, 2, 4).tolist(), g.random.integers(1, 3, 2).tolist()
    return g.node("Conv", x, g.weights(channels, shape[1], *kernel), *bias, pads=pads, strides=strides)


def transposed_convolution(g, x, shape):
    return g.node("ConvTranspose", x, g.weights(shape[1], 2, 2, 2), g.weights(2), strides=[1, 2])


def scaled(g, x, shape):
    return g.node("Mul", x, g.constant(g.values(shape[1], 1, 1)))


def shifted(g, x, shape):
    return g.node(str(g.random.choice(["Add", "Sub"])), g.constant(g.values(*shape[2:])), x)


def rectified(g, x, shape):
    kind = g.random.integers(6)
    if kind == 0:
        return g.node("LeakyRelu", x, alpha=0.2)
    if kind == 1:
        return g.node("PRelu", x, g.constant(g.values(shape[1], 1, 1)))
    if kind == 2:
        return g.node("Clip", x, g.scalar(-0.5), g.scalar(0.8))
    return g.node("Abs" if kind == 3 else "Relu", x)


def pooled(g, x, shape):
    operation = str(g.random.choice(["MaxPool", "AveragePool"]))
    kernel = [min(2, n) for n in shape[2:]]
    return g.node(operation, x, kernel_shape=kernel, strides=g.random.integers(1, 3, 2).tolist())


def turned(g, x, shape):
    return g.node("Transpose", x, perm=[0, *(int(a) for a in 1 + g.random.permutation(3))])


def cut(g, x, shape):
    axis = int(g.random.integers(1, 4))
    step = int(g.random.choice([-1, 1, 2]))
    ends = (0, 2 ** 31) if step > 0 else (-1, -(2 ** 31))
    return g.node("Slice", x, g.ints(ends[0]), g.ints(ends[1]), g.ints(axis), g.ints(step))


def framed(g, x, shape):
    mode = str(g.random.choice(["constant", "edge"]))
    fill = [g.scalar(0.4)] if mode == "constant" else []
    return g.node("Pad", x, g.ints(0, 0, 1, 0, 0, 0, 0, 1), *fill, mode=mode)


def joined(g, x, shape):
    others = [g.weights(1, 1, *shape[2:]), g.node("Relu", x), x]
    return g.node("Concat", x, others[int(g.random.integers(3))], axis=1)


def reshaped(g, x, shape):
    return g.node("Reshape", x, g.ints(1, shape[2], -1, shape[3]))


def residual(g, x, shape):
    y = rectified(g, scaled(g, x, shape), shape)
    return g.node(str(g.random.choice(["Add", "Sub", "Max", "Min"])), y, x)


def normalised(g, x, shape):
    return normalisation(g, x, shape[1], 0.5)


def averaged(g, x, shape):
    return g.node("Sub", x, g.node("ReduceMean", x, axes=[1], keepdims=1))


STEPS = [convolved, convolved, transposed_convolution, scaled, shifted, rectified, rectified, pooled, turned, cut,
         framed, joined, reshaped, residual, normalised, averaged]


def random_networks():
    for number in range(NETWORKS):
        g = Graph("combinations", f"random network {number}")
        x = g.input(1, 2, 5, 4)
        kept = []
        for _ in range(int(g.random.integers(3, 9))):
            shape = g.shape_of(x)
            if int(np.prod(shape)) > 300:
                x = g.node("MaxPool", x, kernel_shape=[min(3, n) for n in shape[2:]], strides=[2, 2])
                shape = g.shape_of(x)
            x = STEPS[int(g.random.integers(len(STEPS)))](g, x, shape)
            if g.random.integers(6) == 0:
                kept.append(x)
        yield g.end_in_dense_layers(x, *kept)


GROUPS = [random_networks]
