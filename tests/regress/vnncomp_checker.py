"""VNN-LIB properties, read and evaluated independently of Plumb, for checking its witnesses.

Numbers are exact fractions. The reader knows what real properties use: both versions, nested and/or, comparisons, +, -
and *. It builds closures, nothing is normalised, and no code is shared with src/import/vnnlib.
"""

import fractions
import gzip
import operator
import re

TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq,
           "!=": operator.ne}


def text_of(path):
    raw = path.read_bytes()
    return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()


def expressions(text):
    """The text's top-level S-expressions as nested lists. X[0, 1] is one word."""
    text = re.sub(r"\s*\[([^\]]*)\]", lambda found: "[" + re.sub(r"\s", "", found.group(1)) + "]", text)
    stack = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif not token.startswith(";"):
            stack[-1].append(token)
    assert len(stack) == 1, "brackets do not match"
    return stack[0]


class Property:
    """One network's property: does (inputs, outputs) satisfy every assertion?"""

    def __init__(self, text):
        # A declaration's shape stands beside its type: the space before it goes away with all others.
        self.shapes, self.outputs, self.asserted, counts = {}, set(), [], {"X": 0, "Y": 0}
        for statement in expressions(text):
            if statement[0] == "declare-const":
                counts[statement[1][0]] += 1
            elif statement[0] == "declare-network":
                for part in statement[2:]:
                    if part[0] in ("declare-input", "declare-output"):
                        shape = part[2][part[2].index("[") + 1:-1]
                        self.shapes[part[1]] = [int(d) for d in shape.split(",") if d]
                        if part[0] == "declare-output":
                            self.outputs.add(part[1])
            elif statement[0] == "assert":
                self.asserted.append(statement[1])
        self.inputs = counts["X"]

    def element(self, word):
        """(is output, flat index), of the only input or output tensor."""
        found = re.fullmatch(r"([XY])_(\d+)", word)
        if found and not self.shapes:
            return found.group(1) == "Y", int(found.group(2))
        name, indices = word[:-1].split("[")
        flat = 0
        for dimension, index in zip(self.shapes[name], indices.split(",")):
            flat = flat * dimension + int(index)
        return name in self.outputs, flat

    def value(self, expression, inputs, outputs, exact):
        if isinstance(expression, str):
            if expression[0] in "-+.0123456789":
                return fractions.Fraction(expression) if exact else fractions.Fraction(float(expression))
            is_output, index = self.element(expression)
            return (outputs if is_output else inputs)[index]
        parts = [self.value(part, inputs, outputs, exact) for part in expression[1:]]
        if expression[0] == "+":
            return sum(parts)
        if expression[0] == "-":
            return -parts[0] if len(parts) == 1 else parts[0] - sum(parts[1:])
        assert expression[0] == "*", expression[0]
        product = fractions.Fraction(1)
        for part in parts:
            product *= part
        return product

    def holds(self, formula, inputs, outputs, exact):
        if formula[0] in ("and", "or"):
            decide = all if formula[0] == "and" else any
            return decide(self.holds(part, inputs, outputs, exact) for part in formula[1:])
        left, right = (self.value(side, inputs, outputs, exact) for side in formula[1:])
        return COMPARE[formula[0]](left, right)

    def satisfied(self, inputs, outputs, exact=True):
        """With exact False the property's constants are the nearest doubles, as most programs read them."""
        inputs = [fractions.Fraction(float(x)) for x in inputs]
        outputs = [fractions.Fraction(float(y)) for y in outputs]
        return all(self.holds(formula, inputs, outputs, exact) for formula in self.asserted)
