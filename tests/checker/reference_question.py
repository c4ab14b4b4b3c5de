"""Reads questions for reference_check.py: VNN-LIB 1.0 with boxes, and samples of IDX files with balls.

A question is a list of queries, each of a region and a disjunction of conjunctions of inequalities
a . y + b . x <= c (or < c), with exact rationals. Regions have digests (docs/certificates.md).
"""

import collections
import functools
import gzip
import hashlib
import itertools
import math
import operator
import pathlib
import re
import struct
from fractions import Fraction

import numpy as np

Inequality = collections.namedtuple("Inequality", "outputs inputs bound strict")  # outputs, inputs: {index: number}
Query = collections.namedtuple("Query", "region conjunctions")


class BrokenQuestion(Exception):
    """What is wrong with a property or a sample."""


def rounded(value, up):
    """The nearest double that is not below the rational (not above, unless up)."""
    double = float(value)
    if up and Fraction(double) < value:
        double = math.nextafter(double, math.inf)
    if not up and Fraction(double) > value:
        double = math.nextafter(double, -math.inf)
    return double + 0.0  # -0 becomes 0


class Box:
    """Bounds are doubles."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def digest(self):
        return hashlib.sha256(b"b" + listed(self.low) + listed(self.high)).hexdigest()

    def box(self):
        return [Fraction(l) for l in self.low], [Fraction(h) for h in self.high]


class Ball:
    NORMS = ("linf", "l1", "l2")

    def __init__(self, norm, centre, radius, low, high):
        self.norm, self.centre, self.radius, self.low, self.high = norm, centre, radius, low, high

    def digest(self):
        radius = str(self.radius).encode()  # a Fraction's text is its canonical form
        return hashlib.sha256(
            b"o" + bytes([self.NORMS.index(self.norm)]) + listed(self.centre) + length(radius) + radius +
            listed(self.low) + listed(self.high) + listed([])).hexdigest()

    def box(self):
        """The smallest box of doubles around it."""
        low = [max(Fraction(l), Fraction(rounded(c - self.radius, False))) for l, c in zip(self.low, self._centre())]
        high = [min(Fraction(h), Fraction(rounded(c + self.radius, True))) for h, c in zip(self.high, self._centre())]
        return low, high

    def _centre(self):
        return [Fraction(c) for c in self.centre]

    def contains(self, x):
        if not all(l <= value <= h for l, value, h in zip(self.low, x, self.high)):
            return False
        changes = [abs(value - c) for value, c in zip(x, self._centre())]
        if self.norm == "linf":
            return max(changes) <= self.radius
        if self.norm == "l1":
            return sum(changes) <= self.radius
        return sum(change * change for change in changes) <= self.radius**2


def length(values):
    return struct.pack("<Q", len(values))


def listed(doubles):
    return length(doubles) + struct.pack(f"<{len(doubles)}d", *[d + 0.0 for d in doubles])


# A formula is a function from inputs and outputs to a truth value, and a list of conjunctions of inequalities that has
# the same meaning: the first decides whether a witness is one, the second is what is refuted.

class Property:
    """A VNN-LIB file."""

    def __init__(self, text, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs
        tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text))
        self.declared, self.formulas = set(), []
        while tokens:
            self._statement(self._tree(tokens))
        missing = {f"X_{i}" for i in range(inputs)} - self.declared
        if missing:
            raise BrokenQuestion(f"{min(missing)} is not declared")
        disjuncts = functools.reduce(both, (normal_form(f) for f in self.formulas), [[]])
        self.disjuncts = [self._separated(disjunct) for disjunct in disjuncts]
        self.queries = [Query(self._region(sides), [inequalities]) for sides, inequalities in self._kept()]

    def _tree(self, tokens):
        token = tokens.pop(0)
        if token == ")":
            raise BrokenQuestion("a parenthesis is closed that was not opened")
        if token != "(":
            return token
        tree = []
        while tokens and tokens[0] != ")":
            tree.append(self._tree(tokens))
        if not tokens:
            raise BrokenQuestion("a parenthesis is not closed")
        tokens.pop(0)
        return tree

    def _statement(self, tree):
        match tree:
            case ["declare-const", str(name), "Real"] | ["declare-fun", str(name), [], "Real"]:
                self.declared.add(name)
            case ["assert", formula]:
                self.formulas.append(self._formula(formula))
            case _:
                raise BrokenQuestion(f"a statement that is not read: {str(tree)[:80]}")

    def _formula(self, tree):
        """("and" | "or", formulas), or a comparison as inequalities (comparison, terms, constant): terms . (x, y) +
        constant compared with 0."""
        match tree:
            case ["and" | "or" as word, *formulas] if formulas:
                return (word, [self._formula(formula) for formula in formulas])
            case ["<=" | ">=" | "<" | ">" | "==" | "=" | "!=" as comparison, left, right]:
                terms, constant = added(self._arithmetic(left), scaled(self._arithmetic(right), -1))
                return (comparison, terms, constant)
        raise BrokenQuestion(f"a formula that is not read: {str(tree)[:80]}")

    def _arithmetic(self, tree):
        if isinstance(tree, str):
            if re.fullmatch(r"[XY]_\d+", tree):
                index, limit = int(tree[2:]), self.inputs if tree[0] == "X" else self.outputs
                if tree not in self.declared or index >= limit:
                    raise BrokenQuestion(f"{tree} is not declared, or the network does not have it")
                return {(tree[0], index): Fraction(1)}, Fraction(0)
            try:
                return {}, Fraction(tree)
            except ValueError as error:
                raise BrokenQuestion(f"{tree} is neither a number nor a variable") from error
        word, *operands = tree
        values = [self._arithmetic(operand) for operand in operands]
        if word == "+":
            return functools.reduce(added, values)
        if word == "-":
            return scaled(values[0], -1) if len(values) == 1 else functools.reduce(
                lambda a, b: added(a, scaled(b, -1)), values)
        if word == "*":
            factors = [value for value in values if not value[0]]
            rest = [value for value in values if value[0]]
            if len(rest) > 1:
                raise BrokenQuestion("a product of variables")
            factor = functools.reduce(operator.mul, (constant for _, constant in factors), Fraction(1))
            return scaled(rest[0], factor) if rest else ({}, factor)
        raise BrokenQuestion(f"arithmetic that is not read: {word}")

    @staticmethod
    def _separated(disjunct):
        """The sides of the box, as (input, coefficient, bound), and the inequalities about outputs; None if a
        comparison of constants is false."""
        sides, inequalities = [], []
        for terms, constant, strict in disjunct:
            terms = {variable: c for variable, c in terms.items() if c != 0}
            if not terms:
                if constant > 0 or (strict and constant == 0):
                    return None
            elif any(kind == "Y" for kind, _ in terms):
                inequalities.append(Inequality({i: c for (kind, i), c in terms.items() if kind == "Y"},
                                               {i: c for (kind, i), c in terms.items() if kind == "X"},
                                               -constant, strict))
            elif len(terms) > 1:
                raise BrokenQuestion("a region that is not a box")
            else:
                ((_, index), c), = terms.items()
                sides.append((index, c, -constant))
        return sides, inequalities

    def exact_box(self, sides):
        low, high = [None] * self.inputs, [None] * self.inputs
        for index, c, bound in sides:
            end = bound / c
            if c > 0:
                high[index] = end if high[index] is None else min(high[index], end)
            else:
                low[index] = end if low[index] is None else max(low[index], end)
        if None in low or None in high:
            raise BrokenQuestion("an input without a lower or an upper bound")
        return low, high

    def _region(self, sides):
        low, high = self.exact_box(sides)
        return Box([rounded(l, False) for l in low], [rounded(h, True) for h in high])

    def _kept(self):
        """Those that some input may satisfy."""
        for disjunct in self.disjuncts:
            if disjunct is not None and all(l <= h for l, h in zip(*self.exact_box(disjunct[0]))):
                yield disjunct

    def inputs_meant(self, x):
        """The points that the doubles of a witness may stand for: an input that has no double between its bounds is at
        its lower bound."""
        for sides, _ in self._kept():
            low, high = self.exact_box(sides)
            yield [l if rounded(l, True) > h and rounded(l, False) <= value <= rounded(h, True) else value
                   for l, value, h in zip(low, x, high)]

    def satisfied(self, x, y):
        return all(holds(formula, {"X": x, "Y": y}) for formula in self.formulas)


def added(a, b):
    terms = dict(a[0])
    for variable, c in b[0].items():
        terms[variable] = terms.get(variable, 0) + c
    return terms, a[1] + b[1]


def scaled(a, factor):
    return {variable: factor * c for variable, c in a[0].items()}, factor * a[1]


def both(a, b):
    return [one + other for one, other in itertools.product(a, b)]


def normal_form(formula):
    """A list of conjunctions, each a list of (terms, constant, strict): terms . v + constant <= 0 (or < 0)."""
    word, *rest = formula
    if word == "and":
        return functools.reduce(both, map(normal_form, rest[0]))
    if word == "or":
        return [conjunction for part in rest[0] for conjunction in normal_form(part)]
    terms, constant = rest
    below = lambda strict: (terms, constant, strict)
    above = lambda strict: (*scaled((terms, constant), -1), strict)
    return {"<=": [[below(False)]], "<": [[below(True)]], ">=": [[above(False)]], ">": [[above(True)]],
            "=": [[below(False), above(False)]], "==": [[below(False), above(False)]],
            "!=": [[below(True)], [above(True)]]}[word]


def holds(formula, values):
    word, *rest = formula
    if word in ("and", "or"):
        return (all if word == "and" else any)(holds(part, values) for part in rest[0])
    terms, constant = rest
    value = constant + sum(c * values[kind][index] for (kind, index), c in terms.items())
    return {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "=": operator.eq,
            "==": operator.eq, "!=": operator.ne}[word](value, 0)


class Sample:
    """Sample K of IDX files, and the ball around it. A tie counts against the label."""

    def __init__(self, folder, number, radius, norm, domain, outputs):
        images = self._idx(folder, "t10k-images-idx3-ubyte", 3)
        if not 0 <= number < len(images):
            raise BrokenQuestion(f"there is no sample {number}")
        self.label = int(self._idx(folder, "t10k-labels-idx1-ubyte", 1)[number])
        centre = [float(value) for value in images[number].reshape(-1).astype(np.float32) / np.float32(255)]
        low, high = ([rounded(end, up)] * len(centre) for end, up in zip(domain, (False, True)))
        self.ball = Ball(norm, centre, radius, low, high)
        self.others = [other for other in range(outputs) if other != self.label]
        self.queries = [Query(self.ball, [[Inequality({self.label: Fraction(1), other: Fraction(-1)}, {}, Fraction(0),
                                                      False)] for other in self.others])]

    @staticmethod
    def _idx(folder, name, dimensions):
        path = pathlib.Path(folder) / name
        content = path.read_bytes() if path.exists() else gzip.open(f"{path}.gz").read()
        if content[:4] != bytes([0, 0, 8, dimensions]):
            raise BrokenQuestion(f"{name} is not an IDX file of bytes")
        shape = struct.unpack_from(f">{dimensions}I", content, 4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape)

    def inputs_meant(self, x):
        yield x

    def satisfied(self, x, y):
        return self.ball.contains(x) and any(y[other] >= y[self.label] for other in self.others)
