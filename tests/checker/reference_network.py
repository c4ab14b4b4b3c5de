"""Reads a small ONNX network as exact elements, for reference_check.py.

An element is one number inside the network: an input, an affine function of elements before it, a ReLU of one, or the
maximum of several. Elements are numbered so that each comes after those that define it. Weights are the rationals that
the file stores. Operations are those that dense networks have; another one raises `Unsupported`.
"""

import collections
from fractions import Fraction

import numpy as np
import onnx
from onnx import numpy_helper

Input = collections.namedtuple("Input", "number")
Affine = collections.namedtuple("Affine", "terms constant")  # terms: {element: coefficient}
Relu = collections.namedtuple("Relu", "argument")
Maximum = collections.namedtuple("Maximum", "members")

LARGEST = {onnx.TensorProto.FLOAT: float(np.finfo(np.float32).max),
           onnx.TensorProto.DOUBLE: float(np.finfo(np.float64).max)}


class Unsupported(Exception):
    """What this reader does not know."""


class Linear:
    """A linear function of elements: what the entries of tensors are while an operation is written out."""

    def __init__(self, terms=None, constant=Fraction(0)):
        self.terms, self.constant = terms or {}, constant

    def __add__(self, other):
        terms = dict(self.terms)
        for element, coefficient in other.terms.items():
            terms[element] = terms.get(element, 0) + coefficient
        return Linear(terms, self.constant + other.constant)

    def __mul__(self, other):
        if other.terms:
            if self.terms:
                raise Unsupported("a product of two values that depend on the input")
            return other * self
        factor = other.constant
        return Linear({element: factor * c for element, c in self.terms.items()}, factor * self.constant)

    def __neg__(self):
        return self * Linear(constant=Fraction(-1))

    def __sub__(self, other):
        return self + -other


def constant(values):
    """An array of constants of the same shape."""
    values = np.asarray(values)
    if values.dtype.kind == "f" and not np.all(np.isfinite(values)):
        raise Unsupported("a constant that is not finite")
    exact = np.empty(values.shape, object)
    for place in np.ndindex(values.shape):
        exact[place] = Linear(constant=Fraction(values[place].item()))
    return exact


def is_constant(tensor):
    return all(not entry.terms for entry in tensor.flat)


class Network:
    """elements: what defines each; inputs, outputs: elements, flat over all tensors; unit_nodes: for (tensor, number),
    the elements of the node, in row-major order."""

    def __init__(self, content):
        self.elements, self.inputs, self.outputs, self.unit_nodes = [], [], [], {}
        model = onnx.load_model_from_string(content)
        self.opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)
        graph = model.graph
        self.tensors = {"": None}
        for stored in graph.initializer:
            self._constant(stored.name, numpy_helper.to_array(stored))
        for given in graph.input:
            if given.name not in self.tensors:
                self._input(given)
        for node in graph.node:
            self._node(node)
        for given in graph.output:
            self.outputs += [self._element(entry) for entry in self.tensors[given.name].flat]

    def _constant(self, name, values):
        # Shapes and the like are integers and stay such; limits of Clip may be infinite.
        self.tensors[name] = values

    def _input(self, given):
        self.type = given.type.tensor_type.elem_type
        if self.type not in LARGEST:
            raise Unsupported("an input that is neither float32 nor float64")
        shape = [d.dim_value if d.HasField("dim_value") else 1 for d in given.type.tensor_type.shape.dim]
        tensor = np.empty(shape, object)
        for place in np.ndindex(*shape):
            self.inputs.append(self._new(Input(len(self.inputs))))
            tensor[place] = Linear({self.inputs[-1]: Fraction(1)})
        self.tensors[given.name] = tensor

    def _new(self, definition):
        self.elements.append(definition)
        return len(self.elements) - 1

    def _element(self, linear):
        """The element that is equal to it: a new one, unless it is one element alone."""
        if linear.constant == 0 and list(linear.terms.values()) == [1]:
            return next(iter(linear.terms))
        return self._new(Affine(linear.terms, linear.constant))

    def _settled(self, tensor):
        """The tensor with an element for each entry, so that the next operation sees only the result of this one."""
        if is_constant(tensor):
            return tensor
        return self._tensor_of(tensor.shape, [self._element(entry) for entry in tensor.flat])

    @staticmethod
    def _tensor_of(shape, elements):
        tensor = np.empty(len(elements), object)
        tensor[:] = [Linear({element: Fraction(1)}) for element in elements]
        return tensor.reshape(shape)

    def _unit_node(self, node, shape, definitions):
        elements = [self._new(definition) for definition in definitions]
        number = sum(1 for tensor, _ in self.unit_nodes if tensor == node.output[0])
        self.unit_nodes[node.output[0], number] = elements
        return self._tensor_of(shape, elements)

    def _relu(self, node, x):
        return self._unit_node(node, x.shape, [Relu(self._element(entry)) for entry in x.flat])

    def _maximum(self, node, operands):
        """Max, by docs/certificates.md: a maximum of what varies, then c + relu(m - c) for the constants."""
        operands = np.broadcast_arrays(*operands)
        varying = [operand for operand in operands if not is_constant(operand)]
        fixed = [operand for operand in operands if is_constant(operand)]
        c = None
        if fixed:
            c = constant(np.zeros(operands[0].shape))
            for place in np.ndindex(c.shape):
                c[place] = Linear(constant=max(operand[place].constant for operand in fixed))
        if not varying:
            return c
        m = varying[0]
        if len(varying) > 1:
            members = [[self._element(operand[place]) for operand in varying] for place in np.ndindex(m.shape)]
            m = self._unit_node(node, m.shape, [Maximum(entry) for entry in members])
        return m if c is None else c + self._relu(node, m - c)

    def _node(self, node):
        raw = [self.tensors[name] for name in node.input]
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "Constant":
            value, = attributes.values()
            array = numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)
            # Attributes of floats are stored in float32, and Python's floats hold them exactly.
            return self._constant(node.output[0], array)
        rule = getattr(self, f"_op_{node.op_type}", None)
        if rule is None:
            raise Unsupported(f"the operation {node.op_type}")
        result = rule(node, raw, attributes)
        self.tensors[node.output[0]] = self._settled(result)

    @staticmethod
    def _exact(value):
        """An operand: constants become exact."""
        return value if value.dtype == object else constant(value)

    def _op_MatMul(self, node, raw, attributes):
        return np.matmul(self._exact(raw[0]), self._exact(raw[1]))

    def _op_Gemm(self, node, raw, attributes):
        a, b = self._exact(raw[0]), self._exact(raw[1])
        alpha, beta = (constant(attributes.get(name, 1.0)).item() for name in ("alpha", "beta"))
        a = a.T if attributes.get("transA") else a
        b = b.T if attributes.get("transB") else b
        product = np.matmul(a, b) * alpha
        return product + self._exact(raw[2]) * beta if len(raw) > 2 and raw[2] is not None else product

    def _op_Add(self, node, raw, attributes):
        return self._exact(raw[0]) + self._exact(raw[1])

    def _op_Sub(self, node, raw, attributes):
        return self._exact(raw[0]) - self._exact(raw[1])

    def _op_Mul(self, node, raw, attributes):
        return self._exact(raw[0]) * self._exact(raw[1])

    def _op_Neg(self, node, raw, attributes):
        return -self._exact(raw[0])

    def _op_Identity(self, node, raw, attributes):
        return self._exact(raw[0])

    def _op_Flatten(self, node, raw, attributes):
        x, axis = self._exact(raw[0]), attributes.get("axis", 1)
        axis += x.ndim if axis < 0 else 0
        return x.reshape(int(np.prod(x.shape[:axis])), -1)

    def _op_Reshape(self, node, raw, attributes):
        x = self._exact(raw[0])
        shape = [int(d) for d in raw[1]]
        if not attributes.get("allowzero"):
            shape = [x.shape[i] if d == 0 else d for i, d in enumerate(shape)]
        return x.reshape(shape)

    def _op_Relu(self, node, raw, attributes):
        return self._relu(node, self._exact(raw[0]))

    def _op_LeakyRelu(self, node, raw, attributes):
        x, s = self._exact(raw[0]), Fraction(attributes.get("alpha", float(np.float32(0.01))))
        return x * Linear(constant=s) + self._relu(node, x) * Linear(constant=1 - s)

    def _op_Abs(self, node, raw, attributes):
        x = self._exact(raw[0])
        return self._relu(node, x) * Linear(constant=Fraction(2)) - x

    def _op_Max(self, node, raw, attributes):
        return self._maximum(node, [self._exact(operand) for operand in raw])

    def _op_Min(self, node, raw, attributes):
        return -self._maximum(node, [-self._exact(operand) for operand in raw])

    def _op_Clip(self, node, raw, attributes):
        x = self._exact(raw[0])
        limits = [None, None]
        for i, name in enumerate(("min", "max")):
            value = raw[i + 1] if len(raw) > i + 1 else attributes.get(name)
            if value is not None and abs(float(np.asarray(value).item())) < LARGEST[self.type]:
                limits[i] = constant(np.asarray(value).reshape(()))
        if limits[0] is not None:
            x = self._settled(self._maximum(node, [x, limits[0]]))
        if limits[1] is not None:
            x = -self._maximum(node, [-x, -limits[1]])
        return x

    def value(self, inputs):
        """The exact values of all elements."""
        values = []
        for definition in self.elements:
            if isinstance(definition, Input):
                values.append(inputs[definition.number])
            elif isinstance(definition, Affine):
                values.append(definition.constant + sum(c * values[e] for e, c in definition.terms.items()))
            elif isinstance(definition, Relu):
                values.append(max(values[definition.argument], 0))
            else:
                values.append(max(values[e] for e in definition.members))
        return values
