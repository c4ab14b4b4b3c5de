"""Numbers of reference_check.py, linear functions, and rule 3 of docs/certificates.md: minima over regions."""

import math
from fractions import Fraction

INFINITY = math.inf
FINE = 2**200


class Rejected(Exception):
    """Why the certificate does not prove the answer."""


def require(condition, why):
    if not condition:
        raise Rejected(why)


def short(value, up=False):
    """A bound, rounded outward to a multiple of 2^-200, so that numbers do not grow from bound to bound."""
    if isinstance(value, float) or value.denominator <= FINE:
        return value
    scaled = value * FINE
    return Fraction(math.ceil(scaled) if up else math.floor(scaled), FINE)


def near(value):
    """A slope, for which any number will do."""
    return Fraction(round(value * 2**128), 2**128)


def add_to(terms, more, factor=1):
    for name, c in more.items():
        terms[name] = terms.get(name, 0) + factor * c


class Functional:
    """terms . elements + constant. Coordinates, units' and links' values are elements, too."""

    def __init__(self, terms=None, constant=0):
        self.terms, self.constant = dict(terms or {}), Fraction(constant)

    def plus(self, other, factor=1):
        sum_ = Functional(self.terms, self.constant + factor * other.constant)
        add_to(sum_.terms, other.terms, factor)
        return sum_

    def times(self, factor):
        return Functional().plus(self, factor)


def exact(reals):
    return [Fraction(value) for value in reals.values]


# Rule 3: the minimum of g . x + b over a box, or a ball intersected with a box. g: {input: number}.

def minimum(ball, low, high, function):
    g, b = function.terms, function.constant
    over_box = b + sum(c * (low[i] if c > 0 else high[i]) for i, c in g.items())
    if ball is None or ball.norm == "linf":
        return short(over_box)
    over_ball = minimum_l1 if ball.norm == "l1" else minimum_l2
    return short(max(over_box, b + over_ball(ball, low, high, g)))


def minimum_l1(ball, low, high, g):
    def value(y, number):
        """What is proven with the multiplier y, in the arithmetic of `number`."""
        total = -y * number(ball.radius)
        for i in range(len(low)):
            c, centre = number(g.get(i, 0)), number(Fraction(ball.centre[i]))
            ends = number(low[i]), number(high[i])
            places = {*ends, min(max(centre, ends[0]), ends[1])}
            total += min(c * x + y * abs(x - centre) for x in places)
        return total

    candidates = sorted({Fraction(0), *(abs(c) for c in g.values())})
    first, last = 0, len(candidates) - 1
    while first < last:  # the value is concave in y; floating point only chooses
        middle = (first + last) // 2
        if value(float(candidates[middle]), float) < value(float(candidates[middle + 1]), float):
            first = middle + 1
        else:
            last = middle
    return max(value(y, Fraction) for y in candidates[max(first - 1, 0):first + 2])


def minimum_l2(ball, low, high, g):
    """With w_i = (c_i - x_i) / t at the point x that is least in floating point, but g_i where no side is reached."""
    radius, centre = float(ball.radius), ball.centre
    slope = [float(g.get(i, 0)) for i in range(len(low))]
    sides = [(float(l), float(h)) for l, h in zip(low, high)]

    def point(t):
        return [min(max(c - t * s, l), h) for c, s, (l, h) in zip(centre, slope, sides)]

    small, large = 0.0, 1.0
    while math.dist(point(large), centre) < radius and large < 1e12:
        large *= 2
    if large >= 1e12:
        return -INFINITY  # the box alone bounds it
    for _ in range(200):
        t = (small + large) / 2
        small, large = (t, large) if math.dist(point(t), centre) < radius else (small, t)
    w = {i: Fraction(s if c - large * s == x else (c - x) / large)
         for i, (c, s, x) in enumerate(zip(centre, slope, point(large)))}
    norm = root_above(sum(v * v for v in w.values()))
    total = sum(v * Fraction(centre[i]) for i, v in w.items()) - ball.radius * norm
    for i, v in w.items():
        rest = g.get(i, 0) - v
        total += rest * (low[i] if rest > 0 else high[i])
    return total


def root_above(square):
    """A number that is at least the square root."""
    return Fraction(math.isqrt(math.ceil(square * 2**400)) + 1, 2**200)


def is_empty(ball, low, high):
    """Whether a piece has no point, which is what crossing bounds by rules 2 and 3 come to for these regions."""
    if any(l > h for l, h in zip(low, high)):
        return True
    if ball is None or ball.norm == "linf":
        return False
    away = [max(l - Fraction(c), Fraction(c) - h, 0) for c, l, h in zip(ball.centre, low, high)]
    return sum(away) > ball.radius if ball.norm == "l1" else sum(a * a for a in away) > ball.radius**2
