#!/usr/bin/env python3
"""Measure the classifier of this folder without a complete verifier.

    measure.py [--network digits.onnx] [--data DIR] [--epsilon E]

Prints the test error, the share of images that projected gradient descent breaks within
l-infinity distance epsilon (pixels stay in [0, 1]), the share that linear bounds
(CROWN) prove, and the mean number of unstable units. What lies between is left to a
complete verifier. Arithmetic is ordinary floating point: the numbers describe the
example, they prove nothing. Needs numpy, torch and onnx.
"""

import argparse
import gzip
import pathlib

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch.nn import functional

BATCH = 100


def read_idx(path, header_bytes):
    content = gzip.decompress(path.read_bytes())
    return np.frombuffer(content, np.uint8, offset=header_bytes)


def read_test_set(directory):
    """Return the images as rows of numbers in [0, 1], and the labels."""
    labels = read_idx(directory / "t10k-labels-idx1-ubyte.gz", 8).astype(np.int64)
    images = read_idx(directory / "t10k-images-idx3-ubyte.gz", 16).astype(np.float32) / 255
    return torch.from_numpy(images.reshape(len(labels), -1)), torch.from_numpy(labels)


def dense_layers(path):
    """Return the network's affine layers as (matrix, bias), with a ReLU between any two."""
    graph = onnx.load(path).graph
    tensors = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    shape = [d.dim_value for d in graph.input[0].type.tensor_type.shape.dim][1:]
    layers = []
    for node in graph.node:
        if node.op_type == "Conv":
            weight, bias = tensors[node.input[1]], tensors[node.input[2]]
            attributes = {a.name: list(a.ints) for a in node.attribute}
            # The columns of the matrix are the images of the unit vectors.
            units = torch.eye(int(np.prod(shape))).reshape(-1, *shape)
            images = functional.conv2d(units, weight, None, attributes["strides"],
                                       attributes["pads"][:2])
            shape = list(images.shape[1:])
            spread_bias = bias.reshape(-1, 1, 1).expand(shape).reshape(-1)
            layers.append((images.reshape(len(units), -1).T.contiguous(), spread_bias))
        elif node.op_type == "Gemm":
            layers.append((tensors[node.input[1]], tensors[node.input[2]]))
    return layers


def logits_of(layers, x):
    for number, (matrix, bias) in enumerate(layers):
        x = functional.linear(x.relu() if number else x, matrix, bias)
    return x


def margins(logits, labels):
    """The label's logit less the largest other one; negative where misclassified."""
    own = logits.gather(1, labels[:, None]).squeeze(1)
    others = logits.scatter(1, labels[:, None], -torch.inf)
    return own - others.amax(1)


def broken_by_attack(layers, images, labels, lower, upper, steps, restarts):
    """Return which images projected gradient descent on the margin misclassifies."""
    broken = margins(logits_of(layers, images), labels) < 0
    epsilon = (upper - lower).max() / 2
    for _ in range(restarts):
        moved = lower + torch.rand_like(lower) * (upper - lower)
        for step in range(steps):
            moved.requires_grad_(True)
            loss = margins(logits_of(layers, moved), labels)
            gradient, = torch.autograd.grad(loss.sum(), moved)
            size = epsilon * 0.5 * (1 - step / steps)
            moved = (moved.detach() - size * gradient.sign()).clamp(lower, upper)
            broken |= margins(logits_of(layers, moved), labels) < 0
    return broken


def lower_bounds(layers, bounds, rows, offset, lower, upper):
    """Lower bounds of rows @ (output of the last of `layers`) + offset over the box.

    `bounds` holds the bounds before each ReLU; `rows` is images x outputs x units.
    """
    for number in range(len(layers) - 1, -1, -1):
        matrix, bias = layers[number]
        offset = offset + rows @ bias
        rows = rows @ matrix
        if number == 0:
            break
        low, high = (b.unsqueeze(1) for b in bounds[number - 1])
        unstable = (low < 0) & (high > 0)
        slope = torch.where(unstable, high / (high - low).clamp(min=1e-12), (low >= 0).float())
        below = torch.where(unstable, (high > -low).float(), slope)
        negative = rows.clamp(max=0)
        offset = offset - (negative * torch.where(unstable, slope * low, 0.0)).sum(-1)
        rows = rows.clamp(min=0) * below + negative * slope
    centre, radius = ((lower + upper) / 2).unsqueeze(-1), ((upper - lower) / 2).unsqueeze(-1)
    return offset + (rows @ centre - rows.abs() @ radius).squeeze(-1)


def linear_bounds(layers, labels, lower, upper):
    """Return lower bounds of the nine margins per image, and the bounds before the ReLUs."""
    bounds = []
    for depth in range(1, len(layers)):
        eye = torch.eye(len(layers[depth - 1][1])).expand(len(labels), -1, -1)
        low, negated_high = (lower_bounds(layers[:depth], bounds, sign * eye, 0.0, lower, upper)
                             for sign in (1, -1))
        bounds.append((low, -negated_high))
    classes = len(layers[-1][1])
    others = torch.stack([torch.tensor([c for c in range(classes) if c != y])
                          for y in labels.tolist()])
    rows = functional.one_hot(labels, classes)[:, None] - functional.one_hot(others, classes)
    return lower_bounds(layers, bounds, rows.float(), 0.0, lower, upper), bounds


def main():
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(description="Measure the digit classifier.")
    parser.add_argument("--network", type=pathlib.Path, default=here / "digits.onnx")
    parser.add_argument("--data", type=pathlib.Path, default=here)
    parser.add_argument("--epsilon", type=float, default=0.06)
    parser.add_argument("--steps", type=int, default=100, help="gradient steps of the attack")
    parser.add_argument("--restarts", type=int, default=10, help="random starts of the attack")
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = dense_layers(options.network)
    wrong, broken, proved, unstable = [], [], [], []
    for images, labels in zip(*(t.split(BATCH) for t in read_test_set(options.data))):
        lower = (images - options.epsilon).clamp(min=0)
        upper = (images + options.epsilon).clamp(max=1)
        wrong.append(margins(logits_of(layers, images), labels) < 0)
        broken.append(broken_by_attack(layers, images, labels, lower, upper,
                                       options.steps, options.restarts))
        with torch.no_grad():
            margin_bounds, bounds = linear_bounds(layers, labels, lower, upper)
        proved.append((margin_bounds > 0).all(1))
        unstable.append(sum(((low < 0) & (high > 0)).sum(1) for low, high in bounds))
    wrong, broken, proved, unstable = map(torch.cat, (wrong, broken, proved, unstable))
    report(wrong, broken, proved, unstable)


def report(wrong, broken, proved, unstable):
    assert not (broken & proved).any()
    print(f"images                          {len(wrong)}")
    print(f"misclassified                   {wrong.float().mean():.1%}")
    print(f"broken by gradient descent      {broken.float().mean():.1%}")
    print(f"proved by linear bounds         {proved.float().mean():.1%}")
    print(f"neither                         {(~broken & ~proved).float().mean():.1%}")
    print(f"unstable units, mean (largest)  {unstable.float().mean():.1f} ({unstable.max()})")


if __name__ == "__main__":
    main()
