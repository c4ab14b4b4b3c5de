#!/usr/bin/env python3
"""Train the digit classifier of this folder and write it as ONNX.

    train.py [--out digits.onnx] [--epochs N] [--epsilon E] ...

The network is a small convolutional one (Conv, Relu, Flatten, Gemm), input 1x1x16x16
with values byte / 255. It is trained on images drawn by draw.py, against
l-infinity perturbations up to epsilon: the cross-entropy of images perturbed by
projected gradient descent, plus two terms that make the network easier to verify:
the l1 norm of the weights, and a penalty on units whose sign the perturbation may
change (Xiao et al., "Training for Faster Adversarial Robustness Verification via
Inducing ReLU Stability"). One thread and fixed seeds, so that a run repeats itself on
the same machine and version of PyTorch. Needs numpy, torch and onnx.
"""

import argparse
import pathlib

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional

import draw

OPSET = 13


def make_network():
    return nn.Sequential(
        nn.Conv2d(1, 8, 4, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(8, 16, 4, stride=2, padding=1), nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 64), nn.ReLU(),
        nn.Linear(64, 10),
    )


def drawn_tensors(count, seed):
    images, labels = draw.draw(count, seed)
    pixels = torch.from_numpy(images.astype(np.float32) / 255).unsqueeze(1)
    return pixels, torch.from_numpy(labels.astype(np.int64))


def perturb(network, images, labels, epsilon, steps):
    """Return the images after `steps` of projected gradient descent from a random start."""
    lower, upper = (images - epsilon).clamp(min=0), (images + epsilon).clamp(max=1)
    moved = lower + torch.rand_like(images) * (upper - lower)
    for _ in range(steps):
        moved.requires_grad_(True)
        loss = functional.cross_entropy(network(moved), labels)
        gradient, = torch.autograd.grad(loss, moved)
        moved = moved.detach() + 2.5 * epsilon / steps * gradient.sign()
        moved = torch.minimum(torch.maximum(moved, lower), upper)
    return moved.detach()


def instability(network, images, epsilon):
    """Mean over the images of a smooth count of the units whose interval contains zero."""
    centre, radius = images, torch.full_like(images, epsilon)
    total = 0.0
    for layer in network[:-1]:
        if isinstance(layer, nn.Conv2d):
            radius = functional.conv2d(radius, layer.weight.abs(), None,
                                       layer.stride, layer.padding)
            centre = layer(centre)
        elif isinstance(layer, nn.Linear):
            radius = functional.linear(radius, layer.weight.abs())
            centre = layer(centre)
        elif isinstance(layer, nn.ReLU):
            lower, upper = centre - radius, centre + radius
            total = total + (1 - torch.tanh(1 + lower * upper)).sum() / (2 * len(images))
            lower, upper = lower.relu(), upper.relu()
            centre, radius = (lower + upper) / 2, (upper - lower) / 2
        else:
            centre, radius = layer(centre), layer(radius)
    return total


def weight_norm(network):
    return sum(layer.weight.abs().sum() for layer in network if hasattr(layer, "weight"))


def train(network, images, labels, options):
    batches = len(images) // options.batch
    total_steps = options.epochs * batches
    optimizer = torch.optim.Adam(network.parameters(), lr=options.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.rate, total_steps)
    step = 0
    for epoch in range(options.epochs):
        losses, wrong = 0.0, 0
        for batch in torch.randperm(len(images))[:batches * options.batch].split(options.batch):
            # The perturbation grows over the first third: from the start, it is too hard.
            share = min(1.0, 3 * step / total_steps)
            x, y = images[batch], labels[batch]
            logits = network(perturb(network, x, y, share * options.epsilon, options.steps))
            unstable_units = instability(network, x, share * options.epsilon)
            loss = (functional.cross_entropy(logits, y) + options.l1 * weight_norm(network)
                    + share * options.stability * unstable_units)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            losses += loss.item()
            wrong += (logits.argmax(1) != y).sum().item()
        print(f"epoch {epoch + 1}: loss {losses / batches:.4f}, "
              f"perturbed error {wrong / (batches * options.batch):.2%}", flush=True)


def onnx_nodes(network):
    """Return the graph's nodes and initializers, from `input` to `logits`."""
    nodes, initializers, current = [], [], "input"
    for number, layer in enumerate(network):
        last = number == len(network) - 1
        operator = {nn.Conv2d: "Conv", nn.ReLU: "Relu", nn.Flatten: "Flatten",
                    nn.Linear: "Gemm"}[type(layer)]
        name = f"{operator.lower()}{number}"
        inputs, attributes = [current], {}
        for part, value in layer.named_parameters():
            initializers.append(numpy_helper.from_array(value.detach().numpy(), f"{name}.{part}"))
            inputs.append(f"{name}.{part}")
        if operator == "Conv":
            attributes = {"kernel_shape": list(layer.kernel_size), "strides": list(layer.stride),
                          "pads": list(layer.padding) * 2}
        elif operator == "Gemm":
            attributes = {"transB": 1}
        current = "logits" if last else name
        nodes.append(helper.make_node(operator, inputs, [current], name=name, **attributes))
    return nodes, initializers


def write_onnx(network, path):
    nodes, initializers = onnx_nodes(network)
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 1, draw.SIDE, draw.SIDE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 10])],
        initializers)
    model = helper.make_model(graph, producer_name="", ir_version=7,
                              opset_imports=[helper.make_opsetid("", OPSET)])
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def main():
    parser = argparse.ArgumentParser(description="Train the digit classifier.")
    default_out = pathlib.Path(__file__).with_name("digits.onnx")
    parser.add_argument("--out", type=pathlib.Path, default=default_out)
    parser.add_argument("--count", type=int, default=20000, help="training images")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.004, help="highest learning rate")
    parser.add_argument("--epsilon", type=float, default=0.06)
    parser.add_argument("--steps", type=int, default=5, help="gradient steps of a perturbation")
    parser.add_argument("--l1", type=float, default=1e-4, help="weight of the l1 norm")
    parser.add_argument("--stability", type=float, default=2e-3,
                        help="weight of the penalty on unstable units")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    network = make_network()
    train(network, *drawn_tensors(options.count, draw.DEFAULT_SEED["train"]), options)
    write_onnx(network, options.out)


if __name__ == "__main__":
    main()
