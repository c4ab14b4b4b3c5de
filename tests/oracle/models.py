"""Builds the small ONNX models of the oracle tests, one node at a time.

    g = Graph("Gemm", "transB=1", opset=13)
    x = g.input(1, 6)
    case = g.end_in_dense_layers(g.node("Gemm", x, g.weights(4, 6), transB=1))

A Case is a finished model with what a test has to know about it. Weights are random, small and float32. They depend
only on the operation and the label, so that a case is the same in every run.
"""

import dataclasses
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FIRST_OPSET, LAST_OPSET = 8, 21


@dataclasses.dataclass
class Case:
    operation: str
    label: str
    model: bytes
    # The final operation that Plumb drops and reports, or None.
    activation: str = None
    # Files beside the model: name -> content.
    side_files: dict = dataclasses.field(default_factory=dict)
    # The type whose values the inputs are rounded to, so that a Cast to it changes nothing.
    input_type: type = np.float32
    # Why ONNX Runtime is known to be wrong for this model; None if it is not.
    distrust_runtime: str = None
    # For models that must be refused: (node name, operation) of every node that the message has to name.
    offending: list = None
    # Whether ONNX Runtime refuses it too, which is checked.
    runtime_refuses: bool = False

    @property
    def name(self):
        return f"{self.operation}: {self.label}"


def opsets_of(operation):
    """The first opset that is tested, and every later one in which the definition of the operation changed."""
    versions = {schema.since_version for schema in onnx.defs.get_all_schemas_with_history()
                if schema.name == operation and schema.domain == ""}
    assert versions, operation
    changed = {v for v in versions if FIRST_OPSET < v <= LAST_OPSET}
    return sorted(changed | ({FIRST_OPSET} if min(versions) <= FIRST_OPSET else set()))


class Graph:
    def __init__(self, operation, label, opset=13, ir_version=8, infer=True):
        """With infer=False no shape inference runs. It may crash on invalid models."""
        self.operation, self.opset, self.ir_version, self.infer = operation, opset, ir_version, infer
        self.label = f"{label} (opset {opset})"
        self.random = np.random.default_rng(zlib.crc32(f"{operation}/{label}/{opset}".encode()))
        self.inputs, self.initializers, self.nodes, self.sparse_initializers = [], [], [], []
        self.side_files = {}
        self.input_type = np.float32

    def input(self, *shape, dtype=TensorProto.FLOAT):
        """A graph input. Dimensions are numbers or, if symbolic, names."""
        name = f"input_{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def constant(self, values, dtype=np.float32):
        """An initialiser holding `values`."""
        return self.tensor(numpy_helper.from_array(np.array(values, dtype)))

    def ints(self, *values):
        """A 1-D int64 initialiser."""
        return self.constant(values, np.int64)

    def scalar(self, value, dtype=np.float32):
        return self.constant(value, dtype)

    def weights(self, *shape):
        """A random float32 initialiser, scaled so that sums over it stay moderate."""
        terms = max(1, int(np.prod(shape[1:])))
        return self.constant(self.values(*shape) / np.sqrt(terms))

    def values(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def tensor(self, proto):
        """An initialiser given as a TensorProto. It gets a name if it has none."""
        proto.name = proto.name or f"constant_{len(self.initializers)}"
        self.initializers.append(proto)
        return proto.name

    def sparse(self, values, indices, shape, name=None):
        """A sparse initialiser: values at the indices, which are positions or rows of coordinates."""
        name = name or f"sparse_{len(self.sparse_initializers)}"
        self.sparse_initializers.append(sparse_tensor(values, indices, shape, name))
        return name

    def node(self, operation, *inputs, outputs=1, domain="", name=None, **attributes):
        """Appends a node. Returns the name of its output, or the list of names if there are several."""
        name = name or f"{operation}_{len(self.nodes)}"
        results = [f"{name}_out{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(operation, inputs, results, name=name, domain=domain, **attributes))
        return results[0] if outputs == 1 else results

    def dense(self, x, outputs, terms):
        """A fully connected layer on x of shape [1, terms]."""
        return self.node("Gemm", x, self.weights(outputs, terms), self.weights(outputs), transB=1)

    def flat(self, y, size=None):
        """y reshaped to [1, size]. The size is inferred unless given."""
        size = size or int(np.prod(self.shape_of(y)))
        return self.node("Reshape", y, self.ints(1, size)), size

    def end_in_dense_layers(self, *tensors, **case_fields):
        """The case whose output is two dense layers with a ReLU between them, on all given tensors."""
        parts = [self.flat(t) for t in tensors]
        flat, size = parts[0]
        if len(parts) > 1:
            flat, size = self.node("Concat", *(p for p, _ in parts), axis=1), sum(s for _, s in parts)
        hidden = self.node("Relu", self.dense(flat, 6, size))
        return self.end(self.dense(hidden, 4, 6), **case_fields)

    def end(self, *outputs, **case_fields):
        """The case whose outputs are the given tensors, unchanged."""
        model = self.model_with(outputs)
        return Case(self.operation, self.label, model.SerializeToString(), side_files=self.side_files,
                    input_type=self.input_type, **case_fields)

    def shape_of(self, tensor):
        """The shape of an inner tensor, by ONNX's shape inference or, if that fails, by evaluation at zero. Symbolic
        dimensions are taken as 1."""
        model = self.model_with([tensor])
        for value in model.graph.input:
            fix_batch(value)
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
        for value in list(inferred.graph.value_info) + list(inferred.graph.output) + list(inferred.graph.input):
            if value.name == tensor and value.type.tensor_type.HasField("shape"):
                dims = value.type.tensor_type.shape.dim
                if all(d.HasField("dim_value") for d in dims):
                    return [d.dim_value for d in dims]
        zeros = {name: np.zeros(shape, np.float32) for name, shape in input_shapes(model).items()}
        return list(ReferenceEvaluator(model).run([tensor], zeros)[0].shape)

    def model_with(self, outputs):
        inner = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, "test", self.inputs, inner, self.initializers,
                                  sparse_initializer=self.sparse_initializers)
        opsets = [helper.make_opsetid("", self.opset)]
        opsets += [helper.make_opsetid(domain, 1) for domain in sorted({n.domain for n in self.nodes} - {""})]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=self.ir_version)
        return with_typed_outputs(model, self.infer)


def sparse_tensor(values, indices, shape, name=""):
    return helper.make_sparse_tensor(numpy_helper.from_array(np.array(values, np.float32), name),
                                     numpy_helper.from_array(np.array(indices, np.int64), f"{name}_indices"), shape)


def with_typed_outputs(model, infer):
    """Fills in the outputs' types, which the ONNX checker and some readers require; float if they are not known."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True) if infer else model
    for output, known in zip(model.graph.output, inferred.graph.output):
        if known.type.tensor_type.elem_type:
            output.CopyFrom(known)
        else:
            output.type.tensor_type.elem_type = TensorProto.FLOAT
    return model


def fix_batch(value):
    """Sets every symbolic, absent or zero dimension of a graph input to 1."""
    for dim in value.type.tensor_type.shape.dim:
        if dim.dim_value <= 0:
            dim.Clear()
            dim.dim_value = 1


def free_inputs(model):
    """The graph inputs that are not initialisers."""
    held = {tensor.name for tensor in model.graph.initializer}
    held |= {tensor.values.name for tensor in model.graph.sparse_initializer}
    return [value for value in model.graph.input if value.name not in held]


def input_shapes(model):
    """{name: shape} of every free input, with symbolic and zero dimensions taken as 1."""
    return {value.name: [max(1, d.dim_value) for d in value.type.tensor_type.shape.dim]
            for value in free_inputs(model)}
