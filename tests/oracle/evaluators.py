"""The two independent oracles: ONNX Runtime in float32, and ONNX's reference implementation in double.

    outputs = runtime_outputs(model, samples)                [samples, flat outputs]
    outputs, scale = double_outputs(model, samples)

A sample is the flat concatenation of the network's inputs, one sample per row. Every symbolic or zero dimension is
taken as 1.
"""

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

import plain_operators
from models import fix_batch, free_inputs, input_shapes

FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16)


class CannotEvaluate(Exception):
    """The oracle does not implement what the model asks for."""


def runtime_session(model, optimise=True, threads=1):
    """A session with a fixed number of threads, for the model with the batch fixed to 1."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 4
    if not optimise:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(fixed_batch(model).SerializeToString(), options,
                                            providers=["CPUExecutionProvider"])
    except Exception as error:  # see below
        raise CannotEvaluate(f"onnxruntime: {str(error).splitlines()[0]}") from error


def runtime_outputs(model, samples, optimise=False):
    session = runtime_session(model, optimise)
    kinds = {"tensor(double)": np.float64, "tensor(float16)": np.float16}
    types = {i.name: kinds.get(i.type, np.float32) for i in session.get_inputs()}
    rows = []
    for sample in samples:
        feeds = {name: part.astype(types[name]) for name, part in split_sample(model, sample).items()}
        try:
            rows.append(flat(session.run(None, feeds)))
        except Exception as error:  # onnxruntime has no common base class for its errors
            raise CannotEvaluate(f"onnxruntime: {str(error).splitlines()[0]}") from error
    return np.array(rows)


def double_outputs(model, samples):
    """The outputs in double arithmetic, and the largest magnitude of any intermediate tensor."""
    precise = in_double(fixed_batch(model))
    outputs = [value.name for value in precise.graph.output]
    inner = [name for node in precise.graph.node for name in node.output if name]
    try:
        evaluator = ReferenceEvaluator(precise, new_ops=plain_operators.ALL)
        rows, scale = [], 0.0
        for sample in samples:
            values = evaluator.run(outputs + inner, split_sample(model, sample))
            rows.append(flat(values[:len(outputs)]))
            scale = max([scale] + [largest(v) for v in values])
    except Exception as error:  # the reference implementation raises whatever numpy raises
        raise CannotEvaluate(f"onnx.reference: {str(error).splitlines()[0]}") from error
    return np.array(rows), scale


def largest(value):
    array = np.asarray(value)
    if array.dtype != np.float64 or not array.size:
        return 0.0
    return float(np.max(np.abs(array)))


def flat(outputs):
    return np.concatenate([np.asarray(o, np.float64).reshape(-1) for o in outputs])


def split_sample(model, sample):
    """The parts of a flat sample that belong to each input, in graph order."""
    parts, at = {}, 0
    for name, shape in input_shapes(model).items():
        count = int(np.prod(shape))
        parts[name] = np.asarray(sample[at:at + count], np.float64).reshape(shape)
        at += count
    return parts


def fixed_batch(model):
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    for value in free_inputs(fixed):
        fix_batch(value)
    # The symbolic batch of the outputs would contradict it.
    for value in fixed.graph.output:
        value.type.tensor_type.ClearField("shape")
    return fixed


def in_double(model):
    """The model with every float tensor, and every Cast to a float type, turned into float64."""
    for value in list(model.graph.input) + list(model.graph.output):
        if value.type.tensor_type.elem_type in FLOATS:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for tensor in model.graph.initializer:
        widen(tensor)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "to" and node.op_type == "Cast" and attribute.i in FLOATS:
                attribute.i = TensorProto.DOUBLE
            elif attribute.type == onnx.AttributeProto.TENSOR:
                widen(attribute.t)
            elif node.op_type == "Constant" and attribute.name in ("value_float", "value_floats"):
                values = np.array(attribute.f if attribute.name == "value_float" else attribute.floats, np.float64)
                attribute.CopyFrom(onnx.helper.make_attribute("value", numpy_helper.from_array(values)))
    return model


def widen(tensor):
    if tensor.data_type in FLOATS:
        wide = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float64), tensor.name)
        tensor.CopyFrom(wide)
