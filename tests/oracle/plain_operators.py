"""Convolutions, pools and a few others, written directly from ONNX's definitions for the double-precision oracle.

ONNX's own reference implementation is wrong or incomplete for these (auto_pad VALID and SAME with strides, groups and
output_shape of ConvTranspose, batch normalisation before opset 14, negative pads, unsorted axes). The code here loops
over the offsets of the kernel and adds shifted copies of the input: slow, but simple enough to be obviously right.
"""

from itertools import product

import numpy as np
from onnx.reference.op_run import OpRun


def geometry(sizes, kernel, strides, dilations, pads, auto_pad, ceil_mode=0):
    """Output size, padding before and padding after, for every spatial axis of a convolution or pool."""
    axes = len(sizes)
    strides, dilations = strides or [1] * axes, dilations or [1] * axes
    pads = pads or [0] * 2 * axes
    outputs, before, after = [], [], []
    for k, size in enumerate(sizes):
        extent = (kernel[k] - 1) * dilations[k] + 1
        first, last = pads[k], pads[k + axes]
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            total = max(0, (-(-size // strides[k]) - 1) * strides[k] + extent - size)
            first = total // 2 if auto_pad == "SAME_UPPER" else total - total // 2
            last = total - first
        elif auto_pad == "VALID":
            first = last = 0
        room = size + first + last - extent
        count = (-(-room // strides[k]) if ceil_mode else room // strides[k]) + 1
        # A window that would start beyond the input and its left padding is dropped.
        if ceil_mode and (count - 1) * strides[k] >= size + first:
            count -= 1
        outputs.append(count)
        before.append(first)
        after.append(last)
    return outputs, before, after, strides, dilations


def padded(x, before, after, fill):
    widths = [(0, 0)] * (x.ndim - len(before)) + list(zip(before, after))
    return np.pad(x, widths, constant_values=fill)


def shifted(x, offset, outputs, strides):
    """The input value that every output position sees at one offset of the kernel."""
    cuts = [slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(offset, outputs, strides)]
    return x[(slice(None), slice(None), *cuts)]


def offsets(kernel, dilations):
    """Pairs (index into the kernel, offset in the input)."""
    for index in product(*(range(k) for k in kernel)):
        yield index, [i * d for i, d in zip(index, dilations)]


class Conv(OpRun):
    def _run(self, x, w, b=None, auto_pad=None, dilations=None, group=1, kernel_shape=None, pads=None, strides=None):
        kernel = w.shape[2:]
        outputs, before, after, strides, dilations = geometry(x.shape[2:], kernel, strides, dilations, pads, auto_pad)
        x = padded(x, before, after, 0.0)
        parts = []
        for inputs, weights in zip(np.split(x, group, axis=1), np.split(w, group, axis=0)):
            parts.append(sum(np.einsum("mc,nc...->nm...", weights[(..., *index)],
                                       shifted(inputs, offset, outputs, strides))
                             for index, offset in offsets(kernel, dilations)))
        return (add_bias(np.concatenate(parts, axis=1), b),)


def add_bias(y, b):
    return y if b is None else y + b.reshape(-1, *[1] * (y.ndim - 2))


class ConvTranspose(OpRun):
    def _run(self, x, w, b=None, auto_pad=None, dilations=None, group=1, kernel_shape=None, output_padding=None,
             output_shape=None, pads=None, strides=None):
        axes, sizes, kernel = x.ndim - 2, x.shape[2:], w.shape[2:]
        strides, dilations = strides or [1] * axes, dilations or [1] * axes
        pads, extra = pads or [0] * 2 * axes, output_padding or [0] * axes
        full = [s * (n - 1) + (k - 1) * d + 1 + e for n, k, s, d, e in zip(sizes, kernel, strides, dilations, extra)]
        if output_shape or auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            wanted = output_shape or [n * s for n, s in zip(sizes, strides)]
            total = [max(0, f - n) for f, n in zip(full, wanted)]
            before = [t // 2 if auto_pad == "SAME_UPPER" else t - t // 2 for t in total]
        else:
            before = pads[:axes] if auto_pad != "VALID" else [0] * axes
            after = pads[axes:] if auto_pad != "VALID" else [0] * axes
            wanted = [f - p - q for f, p, q in zip(full, before, after)]
        parts = []
        for inputs, weights in zip(np.split(x, group, axis=1), np.split(w, group, axis=0)):
            y = np.zeros((x.shape[0], w.shape[1], *full))
            for index, offset in offsets(kernel, dilations):
                seen = shifted(y, offset, sizes, strides)
                seen += np.einsum("cm,nc...->nm...", weights[(..., *index)], inputs)
            parts.append(shifted(y, before, wanted, [1] * axes))
        return (add_bias(np.concatenate(parts, axis=1), b),)


class Pool(OpRun):
    """The common part of both pools: the values under every window, with overhanging windows filled up."""

    def windows(self, x, fill, outputs, before, after, strides, dilations, kernel):
        reach = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(outputs, strides, kernel, dilations)]
        missing = [max(0, r - size) for r, size in zip(reach, padded(x, before, after, 0.0).shape[2:])]
        x = padded(padded(x, before, after, fill), [0] * len(missing), missing, fill)
        return [shifted(x, offset, outputs, strides) for _, offset in offsets(kernel, dilations)]


class MaxPool(Pool):
    def _run(self, x, auto_pad=None, ceil_mode=0, dilations=None, kernel_shape=None, pads=None, storage_order=0,
             strides=None):
        shape = geometry(x.shape[2:], kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
        return (np.maximum.reduce(self.windows(x, -np.inf, *shape, kernel_shape)),)


class AveragePool(Pool):
    def _run(self, x, auto_pad=None, ceil_mode=0, count_include_pad=0, dilations=None, kernel_shape=None, pads=None,
             strides=None):
        shape = geometry(x.shape[2:], kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
        counted = np.ones_like(x)
        if count_include_pad:
            # The padding counts. Cells beyond it, which ceil_mode windows may reach, do not.
            outputs, before, after, *steps = shape
            counted, inner = padded(counted, before, after, 1.0), [0] * len(before)
            counts = sum(self.windows(counted, 0.0, outputs, inner, inner, *steps, kernel_shape))
        else:
            counts = sum(self.windows(counted, 0.0, *shape, kernel_shape))
        return (sum(self.windows(x, 0.0, *shape, kernel_shape)) / counts,)


class GlobalMaxPool(OpRun):
    def _run(self, x):
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


class BatchNormalization(OpRun):
    def _run(self, x, scale, bias, mean, variance, epsilon=None, **_):
        scale, bias, mean, variance = (v.reshape(-1, *[1] * (x.ndim - 2)) for v in (scale, bias, mean, variance))
        return (scale * (x - mean) / np.sqrt(variance + np.float64(epsilon)) + bias,)


class Unsqueeze(OpRun):
    def _run(self, x, axes_input=None, axes=None):
        axes = [int(a) for a in (axes if axes_input is None else axes_input)]
        return (np.expand_dims(x, tuple(axes)),)


class Pad(OpRun):
    def _run(self, x, pads_input=None, constant=None, axes=None, mode="constant", pads=None, value=0.0):
        pads = np.array(pads if pads_input is None else pads_input)
        axes = range(x.ndim) if axes is None else [int(a) % x.ndim for a in axes]
        widths = np.zeros((x.ndim, 2), int)
        widths[list(axes)] = pads.reshape(2, -1).T
        for axis, (first, last) in enumerate(widths):
            x = np.take(x, range(max(0, -first), x.shape[axis] - max(0, -last)), axis=axis)
        fill = {"constant_values": value if constant is None else constant} if mode == "constant" else {}
        return (np.pad(x, np.maximum(widths, 0), mode=mode, **fill),)


class ReduceMean(OpRun):
    def _run(self, x, axes_input=None, axes=None, keepdims=1, noop_with_empty_axes=0):
        axes = axes if axes_input is None else [int(a) for a in axes_input]
        if not axes:
            return (x if noop_with_empty_axes else x.mean(keepdims=bool(keepdims)),)
        return (x.mean(axis=tuple(axes), keepdims=bool(keepdims)),)


ALL = [Conv, ConvTranspose, MaxPool, AveragePool, GlobalMaxPool, BatchNormalization, Unsqueeze, Pad, ReduceMean]
