#!/usr/bin/env python3
"""Does a results file show that its property can be satisfied? Decided independently of Plumb.

    .deps/python/bin/python vnncomp/runner/checker.py VNNLIB RESULTS ONNX [NAME=ONNX ...]

The counterexample's inputs go through ONNX Runtime; what it computes, with the inputs as written, must satisfy every
assertion of the property exactly, and the outputs in the file must be those (to within the competition's 0.1 %). Hidden
values are outputs here: the graph is given their tensors as further outputs. Prints `accepted` or `refused` and why;
exit code 0 or 1, 65 where property or network themselves cannot be read.

The property is read and evaluated by the code below, which shares nothing with src/vnnlib. Numbers are exact
fractions. The reader knows what real properties use: both versions, several networks, nested and/or, comparisons, +, -
and *. It builds nothing and normalises nothing.
"""

import fractions
import gzip
import math
import operator
import pathlib
import re
import sys
import typing

TOKEN = re.compile(r';[^\n]*|[()]|"[^"]*"|[^\s();"]+')
# An index or shape, with the blanks around it; strings and comments, which may look like one, are left alone.
BRACKETS = re.compile(r'"[^"]*"|;[^\n]*|\s*\[([^\]]*)\]')
COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq,
           "=": operator.eq, "!=": operator.ne}
OUTPUTS_WITHIN = 1e-3  # of the largest, as in the competition's scoring


class Refused(Exception):
    """Why a counterexample is none."""


def unpacked(path):
    raw = pathlib.Path(path).read_bytes()
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def expressions(text):
    """The text's top-level S-expressions as nested lists. X[0, 1] is one word."""
    text = BRACKETS.sub(
        lambda found: found[0] if found[1] is None else "[" + re.sub(r"\s", "", found[1]) + "]", text)
    stack = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif not token.startswith(";"):
            stack[-1].append(token)
    if len(stack) != 1:
        raise ValueError("the property's brackets do not match")
    return stack[0]


class Declared(typing.NamedTuple):
    """A network as the property has it."""

    name: str
    equal: str  # the network that it equals, or None
    inputs: list
    hidden: list
    outputs: list
    in_file: dict  # {tensor: what the ONNX file calls it}, where that is said


class Property:
    """Which tensors there are, and whether values of them satisfy every assertion.

    Values are {tensor: flat list}. Version 1.0 has the tensors X and Y of one network without a name.
    """

    def __init__(self, text):
        self.shapes, self.asserted, counts = {}, [], {"X": 0, "Y": 0}
        self.networks = []
        for statement in expressions(text):
            if statement[0] in ("declare-const", "declare-fun"):
                counts[statement[1][0]] += 1
            elif statement[0] == "declare-network":
                self.networks.append(self.declared(statement))
            elif statement[0] == "assert":
                self.asserted.append(statement[1])
        self.flat = not self.networks
        if self.flat:
            self.shapes = {name: [count] for name, count in counts.items()}
            self.networks = [Declared("", None, ["X"], [], ["Y"], {})]

    def declared(self, statement):
        equal, tensors = None, {"declare-input": [], "declare-hidden": [], "declare-output": []}
        in_file = {}
        for part in statement[2:]:
            if part[0] == "equal-to":
                equal = part[1]
            elif part[0] in tensors:
                # The shape stands beside the type: the space before it went away with all others.
                shape = part[2][part[2].index("[") + 1:-1]
                self.shapes[part[1]] = [int(d) for d in shape.split(",") if d]
                tensors[part[0]].append(part[1])
                if len(part) > 3:
                    in_file[part[1]] = part[3].strip('"')
        return Declared(statement[1], equal, *tensors.values(), in_file)

    def element(self, word):
        """(tensor, flat index)."""
        if self.flat:
            name, index = word.split("_")
            return name, int(index)
        name, _, indices = word.partition("[")
        flat = 0
        for dimension, index in zip(self.shapes[name], filter(None, indices.rstrip("]").split(","))):
            flat = flat * dimension + int(index)
        return name, flat

    def value(self, expression, values, exact):
        if isinstance(expression, str):
            if expression[0] in "-+.0123456789":
                return fractions.Fraction(expression) if exact else fractions.Fraction(float(expression))
            tensor, index = self.element(expression)
            return values[tensor][index]
        parts = [self.value(part, values, exact) for part in expression[1:]]
        if expression[0] == "+":
            return sum(parts)
        if expression[0] == "-":
            return -parts[0] if len(parts) == 1 else parts[0] - sum(parts[1:])
        if expression[0] != "*":
            raise ValueError(f"the property has '{expression[0]}', which this checker does not know")
        return math.prod(parts, start=fractions.Fraction(1))

    def holds(self, formula, values, exact):
        if formula[0] in ("and", "or"):
            decide = all if formula[0] == "and" else any
            return decide(self.holds(part, values, exact) for part in formula[1:])
        left, right = (self.value(side, values, exact) for side in formula[1:])
        return COMPARE[formula[0]](left, right)

    def satisfied(self, values, exact=True):
        """With exact False the property's constants are the nearest doubles, as most programs read them."""
        values = {name: [fractions.Fraction(float(v)) for v in numbers] for name, numbers in values.items()}
        return all(self.holds(formula, values, exact) for formula in self.asserted)


def numbers_of(words):
    try:
        numbers = [float(word) for word in words]
    except ValueError as error:
        raise Refused(f"not a number: {error}") from None
    if not all(map(math.isfinite, numbers)):
        raise Refused("a number is not finite")
    return numbers


def counterexample(question, text):
    """{tensor: numbers} as the results file has them. Every element must be there, once, in order."""
    head, _, body = text.partition("\n")
    if head.strip() != "sat":
        raise Refused(f"the first line is '{head.strip()}', not sat")
    return flat_values(question, body) if question.flat else tensor_values(question, body)


def flat_values(question, body):
    """((X_0 v) ... (Y_0 v) ...)"""
    found = re.findall(r"\(\s*([XY])_(\d+)\s+([^\s()]+)\s*\)", body)
    left = re.sub(r"\(\s*[XY]_\d+\s+[^\s()]+\s*\)", "", body).split()
    if "".join(left) != "()":
        raise Refused(f"'{' '.join(left)[:40]}' is not part of a counterexample")
    values = {"X": [], "Y": []}
    for letter, index, number in found:
        if int(index) != len(values[letter]):
            raise Refused(f"{letter}_{index} stands where {letter}_{len(values[letter])} is expected")
        values[letter] += numbers_of([number])
    if len(values["X"]) != question.shapes["X"][0]:
        raise Refused(f"{len(values['X'])} inputs, the property declares {question.shapes['X'][0]}")
    return values


def tensor_values(question, body):
    """Each tensor as a line `name type [dimensions]` and its elements, one a line."""
    lines, values, at = body.split("\n"), {}, 0
    names = [name for one in question.networks for name in one.inputs + one.hidden + one.outputs]
    for name in names:
        shape = question.shapes[name]
        expected = rf"{re.escape(name)} \w+ \[{','.join(map(str, shape))}\]"
        if at >= len(lines) or not re.fullmatch(expected, lines[at].strip()):
            raise Refused(f"line {at + 2}: expected tensor {name} of shape {shape}")
        count = math.prod(shape)
        values[name] = numbers_of(lines[at + 1:at + 1 + count])
        if len(values[name]) != count:
            raise Refused(f"{name} has {len(values[name])} elements of {count}")
        at += 1 + count
    if any(line.strip() for line in lines[at:]):
        raise Refused(f"line {at + 2}: nothing more was expected")
    return values


def with_outputs(model, names):
    """(the model's bytes with inner tensors as further outputs, its own outputs, the inner tensors). Each is asked for
    by its own name or by that of its node."""
    import onnx

    model = onnx.load_model_from_string(model)
    tensors = {name for node in model.graph.node for name in node.output}
    tensors |= {one.name for one in [*model.graph.input, *model.graph.initializer]}
    own, found = [one.name for one in model.graph.output], []
    for name in names:
        made = [list(node.output) for node in model.graph.node if node.name == name]
        if name not in tensors and [len(outputs) for outputs in made] != [1]:
            raise ValueError(f"the network has no tensor '{name}', and not one node of that name with one result")
        found.append(name if name in tensors else made[0][0])
    for tensor in dict.fromkeys(found):
        if tensor not in own:
            model.graph.output.append(onnx.ValueInfoProto(name=tensor))
    return model.SerializeToString(), own, found


def in_order(declared, in_file, names):
    """The file's names of declared tensors: as they are told, or in the file's own order."""
    told = [in_file[tensor] for tensor in declared if tensor in in_file]
    if not told:
        return names
    if len(told) != len(declared) or sorted(told) != sorted(names):
        raise ValueError(f"the property names tensors {told}, the network has {names}")
    return told


class RunTime:
    """One network in ONNX Runtime: flat inputs, one after the other, to flat outputs and those of hidden tensors."""

    TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16"}

    def __init__(self, path, network):
        import onnxruntime  # takes a while, and half of what can be refused is refused before

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        model, self.outputs, self.hidden = unpacked(path), None, []
        if network.hidden:
            model, self.outputs, self.hidden = with_outputs(model, [network.in_file[name] for name in network.hidden])
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.outputs = in_order(network.outputs, network.in_file,
                                self.outputs or [one.name for one in self.session.get_outputs()])
        inputs = {one.name: (one.name, self.TYPES[one.type],
                             [d if isinstance(d, int) and d > 0 else 1 for d in one.shape])
                  for one in self.session.get_inputs()}
        self.inputs = [inputs[name] for name in in_order(network.inputs, network.in_file, list(inputs))]

    def __call__(self, point):
        """(outputs, hidden values tensor by tensor, how many inputs had to be rounded to the network's type)"""
        import numpy as np

        feed, at, rounded = {}, 0, 0
        if len(point) != sum(math.prod(shape) for _, _, shape in self.inputs):
            raise Refused(f"{len(point)} inputs, the network has {sum(math.prod(s) for _, _, s in self.inputs)}")
        for name, kind, shape in self.inputs:
            part = np.array(point[at:at + math.prod(shape)], np.float64)
            feed[name] = part.astype(kind).reshape(shape)
            rounded += int((feed[name].reshape(-1).astype(np.float64) != part).sum())
            at += math.prod(shape)
        flat = [[float(y) for y in values.reshape(-1)] for values in self.session.run(self.outputs + self.hidden, feed)]
        own = len(self.outputs)
        return [y for values in flat[:own] for y in values], flat[own:], rounded


def files_by_name(question, files):
    """{declared network: its file}: the first is the first declared, the others are named, or equal another."""
    by_name = {question.networks[0].name: files[0]}
    by_name |= dict(file.split("=", 1) for file in files[1:])
    for name, equal, *_ in question.networks:
        if name not in by_name and equal not in by_name:
            raise ValueError(f"network {name} of the property is not given: add {name}=ONNX")
        by_name.setdefault(name, by_name.get(equal))
    return by_name


def compare(what, written, computed):
    if len(written) != len(computed):
        raise Refused(f"{len(written)} {what}, the network has {len(computed)}")
    scale = max(map(abs, written), default=0)
    worst = max((abs(a - b) for a, b in zip(written, computed)), default=0)
    if worst > OUTPUTS_WITHIN * scale:
        raise Refused(f"{what} as written are {worst:.3g} away from ONNX Runtime's, of {scale:.3g} at most")


def replay(question, values, files):
    """The values with what ONNX Runtime computes of the inputs, and the number of inputs that had to be rounded."""
    by_name, seen, rounded = files_by_name(question, files), dict(values), 0
    for network in question.networks:
        run_time = RunTime(by_name[network.name], network)
        computed, inner, inexact = run_time([v for tensor in network.inputs for v in values[tensor]])
        compare("outputs", [v for tensor in network.outputs for v in values[tensor]], computed)
        rounded += inexact
        for tensor, numbers in zip(network.hidden, inner, strict=True):
            compare(f"values of {tensor}", values[tensor], numbers)
            seen[tensor] = numbers
        for tensor in network.outputs:
            count = len(values[tensor])
            seen[tensor], computed = computed[:count], computed[count:]
    return seen, rounded


def check(property_file, results, files):
    """What is worth knowing about a counterexample that is accepted; Refused if it is not."""
    question = Property(unpacked(property_file).decode())
    values = counterexample(question, pathlib.Path(results).read_text())
    seen, rounded = replay(question, values, files)
    notes = [f"{rounded} inputs are no numbers of the network's type"] if rounded else []
    if question.satisfied(seen):
        return notes
    # An input that is fixed at a number that is no double has no exact witness: the nearest double must do.
    if question.satisfied(seen, exact=False):
        return ["constants as doubles", *notes]
    raise Refused("ONNX Runtime's outputs do not satisfy the property")


def main(arguments):
    if len(arguments) < 3:
        print("usage: checker.py VNNLIB RESULTS ONNX [NAME=ONNX ...]", file=sys.stderr)
        return 64
    try:
        notes = check(arguments[0], arguments[1], arguments[2:])
    except Refused as reason:
        print(f"refused: {reason}")
        return 1
    except Exception as error:  # of the property or the network, or a tensor type that is not known here
        print(f"checker: {type(error).__name__}: {error}", file=sys.stderr)
        return 65
    print(": ".join(["accepted", *([", ".join(notes)] if notes else [])]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
