#!/usr/bin/env python3
"""A second checker of certificates, written from docs/certificates.md alone: slow, exact, and as short as the rules.

    reference_check.py NET PROPERTY.vnnlib PROOF
    reference_check.py NET --data mnist:DIR --sample K --eps E [--norm linf|l1|l2] [--domain LO,HI] PROOF

It reads dense networks (reference_network.py), VNN-LIB 1.0 with boxes, and samples of IDX files with balls
(reference_question.py). All numbers are rationals; only square roots (of l2 balls) are bounded. Prints `proven`,
`violated` or `rejected: why`. Exit codes: 0 proven or violated, 1 rejected, 65 a file that is broken or not supported.

Functions that carry a rule name it by its number in the document.
"""

import argparse
import gzip
import hashlib
import heapq
import math
import sys
from fractions import Fraction

import certificate_records
import reference_network
import reference_question
from reference_network import Affine, Input, Maximum, Relu

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
    total = sum(v * Fraction(centre[i]) for i, v in w.items()) - ball.radius * root_above(sum(v * v for v in w.values()))
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


class Cut:
    """bounded . r <= right, where right has coordinates already written as inputs. unit: of a cut of one."""

    def __init__(self, bounded, right):
        self.bounded, self.right = bounded, right
        self.unit = next(iter(bounded)) if list(bounded.values()) == [1] else None


class Subproblem:
    def __init__(self, root, low, high):
        self.root, self.low, self.high = root, low, high
        self.decisions = {}  # unit: whether it is active
        self.ranges = {}     # unit: [proven low, proven high, claimed low, claimed high] of its argument
        self.open, self.bare, self.bound = True, False, -INFINITY

    def child(self, unit, active):
        child = Subproblem(self.root, list(self.low), list(self.high))
        child.decisions = {**self.decisions, unit: active}
        child.ranges = {unit: list(range_) for unit, range_ in self.ranges.items()}
        child.bare, child.bound = self.bare, self.bound
        return child

    def narrow(self, unit, upper, end, claimed):
        range_ = self.ranges.setdefault(unit, [-INFINITY, INFINITY, -INFINITY, INFINITY])
        better = min if upper else max
        range_[upper] = better(range_[upper], end)
        range_[2 + upper] = better(range_[2 + upper], claimed)


class Piece:
    """Work on one piece: bounds of elements, the list of units, cuts, the tree."""

    def __init__(self, network, names, ball, low, high, conjunctions):
        self.network, self.names, self.ball, self.low, self.high = network, names, ball, low, high
        self.elements = list(network.elements)
        self.conjunctions, self.functionals = conjunctions, []
        for number, conjunction in enumerate(conjunctions):
            for inequality in conjunction:
                terms = {}
                add_to(terms, {network.outputs[i]: c for i, c in inequality.outputs.items()})
                add_to(terms, {network.inputs[i]: c for i, c in inequality.inputs.items()})
                self.functionals.append((Functional(terms, -inequality.bound), inequality.strict, number))
        self.refuted, self.tree, self.proven_empty = set(), None, False
        self.empty = is_empty(ball, low, high)
        self.units, self.number_of, self.chains = [], {}, {}
        self.coordinates, self.cuts = [], []
        self.lower_ends, self.upper_ends = [], []
        self.rank = list(range(len(self.elements)))
        self.bound_all()

    # Rules 1 and 4: bounds of elements.

    def bound_all(self):
        """Bounds elements in order; those that a better bound was proven for before keep it."""
        missing = len(self.elements) - len(self.lower_ends)
        self.lower_ends += [-INFINITY] * missing
        self.upper_ends += [INFINITY] * missing
        self.affine_bounds = {}
        for element in sorted(range(len(self.elements)), key=self.rank.__getitem__):
            definition = self.elements[element]
            if isinstance(definition, Relu):
                self.bound_argument(definition.argument)
            elif isinstance(definition, Maximum):
                self.bound_members(definition.members)
            l, u = self.interval(definition)
            self.improve(element, l, -u)

    def interval(self, definition):
        l, u = self.lower_ends, self.upper_ends
        match definition:
            case Input(number):
                return self.low[number], self.high[number]
            case Relu(z):
                return max(l[z], 0), max(u[z], 0)
            case Maximum(members):
                return max(l[m] for m in members), max(u[m] for m in members)
        below = sum(c * (l[e] if c > 0 else u[e]) for e, c in definition.terms.items())
        above = sum(c * (u[e] if c > 0 else l[e]) for e, c in definition.terms.items())
        return short(definition.constant + below), short(definition.constant + above, True)

    def bound_argument(self, z):
        if self.lower_ends[z] < 0 < self.upper_ends[z]:
            self.improve(z, *(self.least({z: sign}) for sign in (1, -1)))

    def bound_members(self, members):
        lead = max(self.lower_ends[m] for m in members)
        may_exceed = [m for m in members if self.upper_ends[m] > lead]
        if len(may_exceed) > 1 or (may_exceed and self.lower_ends[may_exceed[0]] < lead):
            for m in may_exceed:
                self.improve(m, *(self.least({m: sign}) for sign in (1, -1)))

    def improve(self, element, lower, negated_upper):
        self.lower_ends[element] = max(self.lower_ends[element], lower)
        self.upper_ends[element] = min(self.upper_ends[element], -negated_upper)
        self.empty |= self.lower_ends[element] > self.upper_ends[element]

    def least(self, terms, unit_rule=None):
        """A lower bound over the piece by rules 2 and 3."""
        return minimum(self.ball, self.low, self.high, self.substitute(Functional(terms), unit_rule or self.by_lines))

    # Rule 2: substitution.

    def substitute(self, functional, unit_rule, shares=None, listed=()):
        """The affine function of inputs that is at most the functional. unit_rule(element, v) gives (m, c) for a ReLU
        with the coefficient v; shares(element, v) first gives (what cuts leave of v, what they add). listed: units that
        are replaced even if v is 0, because m need not be."""
        terms, constant = dict.fromkeys(listed, Fraction(0)) | functional.terms, functional.constant
        waiting = [(-self.rank[e], e) for e in terms]
        heapq.heapify(waiting)
        inputs = {}

        def add(more, factor=1):
            for e, c in more.items():
                if e not in terms:
                    heapq.heappush(waiting, (-self.rank[e], e))
                terms[e] = terms.get(e, 0) + factor * c

        while waiting:
            element = heapq.heappop(waiting)[1]
            v = terms.pop(element)
            definition = self.elements[element]
            if v == 0 and not isinstance(definition, Relu):
                continue
            if isinstance(definition, Input):
                inputs[definition.number] = v
            elif isinstance(definition, Affine):
                add(definition.terms, v)
                constant += v * definition.constant
            elif isinstance(definition, Relu):
                if shares and v < 0:
                    v, right = shares(element, v)
                    add(right.terms)
                    constant += right.constant
                m, c = unit_rule(element, v)
                constant += c
                if m != 0:
                    add({definition.argument: m})
            else:
                line, added = self.maximum_line(element, definition.members, v, unit_rule != self.by_lines)
                add(line, v)
                constant += v * added
        return Functional(inputs, constant)

    @staticmethod
    def constant_of(v, m, l, u):
        """Rule 2: the c for which v r >= m z + c where z is in [l, u]."""
        inner = [Fraction(0)] if l <= 0 <= u else []
        return min([v * max(z, 0) - m * z for z in (l, u)] + inner)

    @staticmethod
    def chord(l, u):
        return near(u / (u - l)) if l < 0 < u else Fraction(int(u > 0))

    def default(self, element, v):
        z = self.elements[element].argument
        l, u = self.lower_ends[z], self.upper_ends[z]
        if l >= 0:
            return v, Fraction(0)
        if u <= 0:
            return Fraction(0), Fraction(0)
        m = (v if u > -l else Fraction(0)) if v >= 0 else self.chord(l, u) * v
        return m, self.constant_of(v, m, l, u)

    def by_lines(self, element, v):
        """The default where chains are left aside."""
        return self.default(element, v)

    def ends(self, unit, subproblem):
        """Z of rule 2: the piece's bounds, the subproblem's range and decision; and the unit's status."""
        z = self.elements[self.units[unit]].argument
        l, u, status = self.lower_ends[z], self.upper_ends[z], None
        if subproblem:
            low, high, claimed_low, claimed_high = subproblem.ranges.get(unit, (l, u, -INFINITY, INFINITY))
            l, u = max(l, low), min(u, high)
            status = True if claimed_low > 0 else False if claimed_high < 0 else None
            if unit in subproblem.decisions:
                status = subproblem.decisions[unit]
                l, u = (max(l, 0), u) if status else (l, min(u, 0))
        return l, u, status

    def by_choices(self, slopes, multipliers=None, subproblem=None, all_open=False):
        def rule(element, v):
            unit = self.number_of.get(element)
            if unit is None:
                return self.default(element, v)
            l, u, status = self.ends(unit, subproblem)
            mu = multipliers[unit] if multipliers else 0
            if status is not None and not all_open:
                m = v - mu if status else mu
            else:
                m = slopes[unit] * v if v >= 0 else self.chord(l, u) * v
            return m, self.constant_of(v, m, l, u)
        return rule

    def by_box(self, subproblem=None):
        """The box rule of rule 5."""
        def rule(element, v):
            unit = self.number_of.get(element)
            if unit is None:
                return self.default(element, v)
            l, u, _ = self.ends(unit, subproblem)
            return Fraction(0), v * max(l if v >= 0 else u, 0)
        return rule

    def by_program(self, multipliers, subproblem):
        def rule(element, v):
            unit = self.number_of.get(element)
            if unit is None:
                return self.default(element, v)
            l, u, _ = self.ends(unit, subproblem)
            return multipliers[unit], self.constant_of(v, multipliers[unit], l, u)
        return rule

    def maximum_line(self, element, members, v, by_chain):
        """Rule 2 for a maximum with the coefficient v: ({element: coefficient}, constant)."""
        if by_chain and element in self.chains:
            last, excess = self.chains[element]
            return {last: Fraction(1)}, excess if v < 0 else Fraction(0)
        l, u = self.lower_ends, self.upper_ends
        leader = max(members, key=lambda m: l[m])
        b = l[leader]
        over = [m for m in members if u[m] > b]
        if v >= 0 or not set(over) - {leader}:
            return {leader: Fraction(1)}, Fraction(0)
        if sum(u[m] - b for m in over) >= 2 * max(u[m] - b for m in over):
            return {}, max(u[m] for m in members)
        s = {m: near((u[m] - b) / (u[m] - l[m])) for m in over}
        t = max((1 - s.get(m, 0)) * u[m] - sum(s[j] * l[j] for j in s if j != m) for m in members)
        line = {}
        for m in over:
            add_to(line, {m: s[m]})
        return line, t

    # UNITS, COORDINATES, TIGHT, REFUTED.

    def element_of(self, name, element):
        require(name < len(self.names), "a name that is not there")
        node = self.network.unit_nodes.get(self.names[name])
        require(node is not None and element < len(node), "a unit that the network does not have")
        return node[element]

    def take_units(self, record):
        before = len(self.network.elements)
        for values in (self.elements, self.lower_ends, self.upper_ends):
            del values[before:]
        self.chains, self.links, self.coordinates, self.cuts = {}, {}, [], []
        self.units = [None] * len(record["units"])
        for unit, (name, element) in enumerate(record["units"]):
            element = self.element_of(name, element)
            if isinstance(self.elements[element], Relu):
                self.units[unit] = element
        for chain in record["chains"]:
            self.make_chain(record["units"], chain)
        require(None not in self.units, "a unit of a maximum that is in no chain")
        self.number_of = {element: unit for unit, element in enumerate(self.units)}
        require(len(self.number_of) == len(self.units), "a unit is listed twice")
        self.put_in_order()
        self.bound_all()
        self.prove_chains()

    def make_chain(self, units, chain):
        maximum = self.element_of(chain["name"], chain["element"])
        require(isinstance(self.elements[maximum], Maximum), "a chain for something that is no maximum")
        require(maximum not in self.chains, "two chains for one maximum")
        members = self.elements[maximum].members
        require(all(i < len(members) for i in [chain["first"]] + [link["member"] for link in chain["links"]]),
                "a chain has a member that the maximum does not have")
        first = last = members[chain["first"]]
        links = []
        for link in chain["links"]:
            member, kind = members[link["member"]], link["link"]["kind"]
            z = self.new(Affine({member: Fraction(1), last: Fraction(-1)} if member != last else {}, Fraction(0)))
            links.append((z, kind))
            if kind == 1:
                unit = link["link"]["unit"]
                require(unit < len(units) and self.units[unit] is None and
                        units[unit] == (chain["name"], chain["element"]), "a link with another unit's number")
                self.units[unit] = r = self.new(Relu(z))
                last = self.new(Affine({last: Fraction(1), r: Fraction(1)}, Fraction(0)))
            elif kind == 2:
                last = member
        inside = {first, *(members[link["member"]] for link in chain["links"])}
        others = [m for m in members if m not in inside]
        self.links[maximum] = first, links, others
        self.chains[maximum] = last, max([Fraction(0), *(self.upper_ends[m] - self.lower_ends[first] for m in others)])

    def new(self, definition):
        self.elements.append(definition)
        return len(self.elements) - 1

    def prove_chains(self):
        """Links that are below or above, and by how much other members may exceed the first."""
        for maximum, (first, links, others) in self.links.items():
            last, excess = self.chains[maximum][0], Fraction(0)
            for z, kind in links:
                require(kind != 0 or self.most(self.elements[z].terms) <= 0, "a link that is not below")
                require(kind != 2 or -self.most(self.elements[z].terms, -1) >= 0, "a link that is not above")
            for other in others:
                excess = max(excess, self.most({other: Fraction(1), first: Fraction(-1)}))
            self.chains[maximum] = last, excess

    def most(self, terms, sign=1):
        """An upper bound of sign . terms, by intervals or by substitution."""
        terms = {e: sign * c for e, c in terms.items()}
        return min(self.interval(Affine(terms, Fraction(0)))[1], -self.least({e: -c for e, c in terms.items()}))

    def put_in_order(self):
        """A rank for each element: after those that define it, and units in the order of their list."""
        order, rank = [], {}

        def visit(element, listed):
            stack = [element]
            while stack:
                at = stack[-1]
                if at in rank:
                    stack.pop()
                    continue
                needed = [e for e in self.defining(at) if e not in rank]
                if needed:
                    stack += needed
                    continue
                require(at == listed or at not in self.number_of, "a unit comes before one that its argument needs")
                rank[stack.pop()] = len(order)
                order.append(at)

        for unit in self.units:
            visit(unit, unit)
        for element in range(len(self.elements)):
            visit(element, None)
        self.rank = [rank[element] for element in range(len(self.elements))]

    def defining(self, element):
        match self.elements[element]:
            case Affine(terms, _):
                return list(terms)
            case Relu(argument):
                return [argument]
            case Maximum(members):
                return [*members, self.chains[element][0]] if element in self.chains else members
        return []

    def unit(self, number):
        require(number < len(self.units), "a unit that is not listed")
        return self.units[number]

    def tighten(self, record):
        z = self.elements[self.unit(record["unit"])].argument
        self.improve(z, self.least({z: Fraction(1)}, self.by_choices(exact(record["lower"]))),
                     self.least({z: Fraction(-1)}, self.by_choices(exact(record["upper"]))))
        r = self.units[record["unit"]]
        self.lower_ends[r], self.upper_ends[r] = self.interval(self.elements[r])
        self.affine_bounds = {}

    def slopes_or_default(self, value, default):
        return self.by_choices(exact(value["slopes"])) if value["kind"] else default

    def refute(self, record):
        functional, strict, conjunction = self.functional(record["functional"])
        least = self.least_of(functional, self.slopes_or_default(record["slopes"], self.by_lines))
        require(least > 0 or (strict and least == 0), f"a functional is not refuted, its bound is {float(least)}")
        self.refuted.add(conjunction)

    def functional(self, number):
        require(number < len(self.functionals), "a functional that is not there")
        return self.functionals[number]

    def least_of(self, functional, unit_rule, shares=None, listed=(), box=None):
        low, high = box or (self.low, self.high)
        return minimum(self.ball, low, high, self.substitute(functional, unit_rule, shares, listed))

    # Rule 5: cuts.

    def right_side(self, record):
        right = Functional({}, Fraction(record["constant"]))
        for coordinate, c in record["coordinates"]:
            right = right.plus(self.coordinate(coordinate), Fraction(c))
        for unit, c in record["units"]:
            right = right.plus(Functional({self.unit(unit): Fraction(1)}), Fraction(c))
        return right

    def coordinate(self, number):
        """u_j = (x_i - centre) / radius."""
        require(number < len(self.coordinates), "a coordinate that is not there")
        given = self.coordinates[number]
        radius = Fraction(given["radius"])
        return Functional({self.network.inputs[given["input"]]: 1 / radius}, -Fraction(given["centre"]) / radius)

    def take_cut(self, record):
        bounded = {}
        for unit, c in record["bounded"]:
            add_to(bounded, {self.unit(unit): Fraction(c)})
        cut, proof = Cut(bounded, self.right_side(record)), record["proof"]
        if proof["kind"] == 2:
            difference = cut.right.plus(Functional(bounded), -1)
            require(covers([case["decisions"] for case in proof["cases"]]), "cases that are not leaves of a tree")
            least = min(self.least_in_case(difference, case) for case in proof["cases"])
        else:
            require(cut.unit is not None, "a plain or composed cut of several units")
            require(all(unit < self.number_of[cut.unit] for unit, _ in record["units"]), "a cut over later units")
            difference = cut.right.plus(Functional({self.elements[cut.unit].argument: Fraction(1)}), -1)
            rule, shares = self.by_box(), None
            if proof["kind"] == 1:
                rule, shares = self.by_choices(exact(proof["slopes"])), self.whole_cuts(proof["cuts"])
            least = min(self.least_of(cut.right, self.by_box()), self.least_of(difference, rule, shares))
        self.keep(cut, least)

    def keep(self, cut, least):
        """Raises the constant by what is missing."""
        if least < 0:
            cut.right.constant -= least
        self.cuts.append(cut)

    def least_in_case(self, difference, case):
        place = Subproblem(None, self.low, self.high)
        for decision in case["decisions"]:
            self.unit(decision // 2)
            place.decisions[decision // 2] = bool(decision % 2)
        rule = self.by_choices(exact(case["slopes"]), exact(case["multipliers"]), place)
        return self.least_of(difference, rule, self.whole_cuts(case["cuts"], place), self.units)

    def whole_cuts(self, pairs, place=None):
        """A named cut takes the place of an open unit's chord."""
        named = {}
        for unit, number in pairs:
            cut = self.cut(number)
            require(cut.unit == self.unit(unit), "a cut that is named for another unit")
            named[cut.unit] = cut

        def shares(element, v):
            if element in named and self.ends(self.number_of[element], place)[2] is None:
                return Fraction(0), named[element].right.times(v)
            return v, Functional()
        return shares

    def cut(self, number):
        require(number < len(self.cuts), "a cut that is not there")
        return self.cuts[number]

    def take_merged(self, record):
        bounded = {self.unit(unit): Fraction(c) for unit, c in record["bounded"]}
        cut, total, difference = Cut(bounded, self.right_side(record)), Fraction(0), Functional()
        for number, weight in record["cuts"]:
            one = self.cut(number)
            require(weight >= 0 and one.bounded == bounded, "a merged cut of other cuts")
            difference, total = difference.plus(one.right, -Fraction(weight)), total + Fraction(weight)
        require(total > 0, "a merged cut without weights")
        least = self.least_of(difference.plus(cut.right, total), self.by_box())
        self.keep(cut, short(least / total))

    # Rules 7 to 10: trees.

    def begin_tree(self, targets, cuts, for_elements):
        """targets: (functional, strict, conjunction)."""
        require(self.tree is None, "a tree within a tree")
        self.tree, self.tree_cuts, self.for_elements = targets, cuts, for_elements
        self.subproblems = [Subproblem(i, list(self.low), list(self.high)) for i in range(len(targets))]

    def subproblem(self, record):
        require(self.tree is not None and record["subproblem"] < len(self.subproblems), "a subproblem that is not there")
        found = self.subproblems[record["subproblem"]]
        require(found.open, "a subproblem that is not open")
        return found

    def split(self, record):
        parent = self.subproblem(record)
        unit = record["unit"]
        self.unit(unit)
        require(unit not in parent.decisions, "a unit is split twice")
        parent.open = False
        self.subproblems += [parent.child(unit, False), parent.child(unit, True)]

    def target_with(self, subproblem, constraints, empty=False):
        """Rule 6: the target's functional with constraints added, and whether its inequality is strict."""
        functional, strict, conjunction = self.tree[subproblem.root]
        total = Functional() if empty else functional
        for number, factor in constraints:
            other, _, its = self.functional(number)
            require(factor >= 0 and its == conjunction and not self.for_elements,
                    "a constraint of another conjunction, or with a negative factor")
            total = total.plus(other, Fraction(factor))
        return total, strict and not empty

    def affine_of(self, subproblem, record):
        """Rules 2, 5 and 6 for the target: an affine function of inputs."""
        functional, _ = self.target_with(subproblem, record["constraints"])
        weights = [Fraction(weight) for weight in record["weights"].values]
        require(all(weight >= 0 for weight in weights), "a cut with a negative weight")
        by_unit = {}
        for number, weight in zip(self.tree_cuts, weights):
            cut = self.cut(number)
            if cut.unit is None:
                functional = functional.plus(Functional(cut.bounded).plus(cut.right, -1), weight)
            elif weight:
                by_unit.setdefault(cut.unit, []).append((cut, weight))

        def shares(element, v):
            left, added = v, Functional()
            if element not in by_unit or self.ends(self.number_of[element], subproblem)[2] is not None:
                return left, added
            for cut, weight in by_unit[element]:
                share = max(weight * v, left)
                left, added = left - share, added.plus(cut.right, share)
            return left, added

        rule = self.by_choices(exact(record["slopes"]), exact(record["multipliers"]), subproblem)
        return self.substitute(functional, rule, shares, self.units)

    def close(self, record):
        subproblem = self.subproblem(record)
        strict = self.tree[subproblem.root][1]
        self.closed(subproblem, self.affine_of(subproblem, record), strict)

    def closed(self, subproblem, affine, strict):
        least = minimum(self.ball, subproblem.low, subproblem.high, affine)
        require(least > 0 or (strict and least == 0) or self.is_bare(subproblem),
                f"a subproblem is not closed, its bound is {float(least)}")
        subproblem.open = False

    def program(self, record):
        """Rule 9."""
        subproblem = self.subproblem(record)
        require(not record["inequalities"], "multipliers of inequalities that the region does not have")
        functional, strict = self.target_with(subproblem, record["constraints"], bool(record["empty"]))
        rule = self.by_program(exact(record["multipliers"]), subproblem)
        self.closed(subproblem, self.substitute(functional, rule, None, self.units), strict)

    def bound_open(self, record):
        subproblem = self.subproblem(record)
        subproblem.bound = max(subproblem.bound, minimum(self.ball, subproblem.low, subproblem.high, self.affine_of(subproblem, record)))

    def bare(self, record):
        subproblem = self.subproblem(record)
        require(self.is_bare(subproblem), "ranges that leave points")
        subproblem.open = False

    def is_bare(self, subproblem):
        """Rule 8: ranges leave no unsafe point."""
        ends = (self.ends(unit, subproblem) for unit in {*subproblem.ranges, *subproblem.decisions})
        return (subproblem.bare or any(l > u for l, u, _ in ends) or
                is_empty(self.ball, subproblem.low, subproblem.high))

    def forget(self, record):
        subproblem = self.subproblem(record)
        subproblem.ranges, subproblem.low, subproblem.high = {}, list(self.low), list(self.high)

    def narrow(self, record):
        """Rule 8."""
        subproblem = self.subproblem(record)
        affine = self.affine_of(subproblem, record)
        for given in record["ranges"]:
            unit, upper = given["end"] // 2, given["end"] % 2
            require(given["factor"] >= 0, "a negative factor of a range")
            bound = self.affine_argument(unit, upper).plus(affine, Fraction(given["factor"]))
            least = minimum(self.ball, subproblem.low, subproblem.high, bound)
            subproblem.narrow(unit, upper, -least if upper else least, given["claimed"])

    def affine_argument(self, unit, upper):
        """The affine lower bound of z, or of -z, over the whole piece."""
        z = self.elements[self.unit(unit)].argument
        if (unit, upper) not in self.affine_bounds:
            self.affine_bounds[unit, upper] = self.substitute(Functional({z: -1 if upper else 1}), self.default)
        return self.affine_bounds[unit, upper]

    def imply(self, record):
        """Rule 8, implications."""
        subproblem = self.subproblem(record)
        for given in record["implications"]:
            rule = self.by_box(subproblem)
            if given["slopes"]["kind"]:
                rule = self.by_choices(exact(given["slopes"]["slopes"]), None, subproblem, all_open=True)
            box = subproblem.low, subproblem.high
            if given["source"] == 0:
                upper, unit = given["upper"], given["number"]
                z = self.elements[self.unit(unit)].argument
                least = self.least_of(Functional({z: -1 if upper else 1}), rule, box=box)
                subproblem.narrow(unit, upper, -least if upper else least, given["claimed"])
                continue
            premise, t = self.premise(subproblem, given)
            if given["about"] == 2:
                subproblem.bare |= self.least_of(premise, rule, box=box) > t
                continue
            q = Fraction(given["coefficient"])
            require(q != 0 and (q > 0) == bool(given["upper"]), "an implication with the wrong coefficient")
            about = (self.coordinate(given["number"]) if given["about"] == 0
                     else Functional({self.unit(given["number"]): Fraction(1)}))
            end = (t - self.least_of(premise.plus(about, -q), rule, box=box)) / q
            self.bound_value(subproblem, given, end)

    def premise(self, subproblem, given):
        """(p, t) where p <= t at the unsafe points."""
        if given["source"] == 3:
            functional, _, conjunction = self.functional(given["premise"])
            require(not self.for_elements and conjunction == self.tree[subproblem.root][2], "a premise of another target")
            return functional, Fraction(0)
        l, u, _ = self.ends(given["premise"], subproblem)
        z = self.elements[self.unit(given["premise"])].argument
        return (Functional({z: 1}), u) if given["source"] == 1 else (Functional({z: -1}), -l)

    def bound_value(self, subproblem, given, end):
        """The end holds for a coordinate, or for a unit's value."""
        upper, number = given["upper"], given["number"]
        if given["about"] == 0:
            coordinate = self.coordinates[number]
            x = Fraction(coordinate["centre"]) + Fraction(coordinate["radius"]) * end
            ends, better = (subproblem.high, min) if upper == (coordinate["radius"] > 0) else (subproblem.low, max)
            ends[coordinate["input"]] = better(ends[coordinate["input"]], short(x, ends is subproblem.high))
        elif upper and end < 0:
            subproblem.bare = True
        elif upper or end > 0:
            subproblem.narrow(number, upper, short(end, upper), given["claimed"])

    def end_tree(self):
        """TREE_END."""
        require(self.tree is not None and not self.for_elements, "the end of a tree that did not begin")
        still_open = {subproblem.root for subproblem in self.subproblems if subproblem.open}
        self.refuted |= {target[2] for root, target in enumerate(self.tree) if root not in still_open}
        self.tree = None

    def begin_elements(self, record):
        """Rule 10."""
        require(record["name"] < len(self.names) and self.names[record["name"]] in self.network.unit_nodes,
                "a node that the network does not have")
        arguments = []
        for element in self.network.unit_nodes[self.names[record["name"]]]:
            definition = self.elements[element]
            arguments += [definition.argument] if isinstance(definition, Relu) else definition.members
        require(all(element < len(arguments) for element in record["elements"]), "an element that is not there")
        self.arguments = [arguments[element] for element in record["elements"]]
        self.begin_tree([(Functional({z: sign}), False, None) for z in self.arguments for sign in (1, -1)], [], True)

    def end_elements(self):
        require(self.tree is not None and self.for_elements, "the end of trees that did not begin")
        least = [INFINITY] * len(self.tree)
        for s in self.subproblems:
            if s.open:
                least[s.root] = min(least[s.root], s.bound)
        for i, z in enumerate(self.arguments):
            self.improve(z, min(Fraction(0), least[2 * i]), min(Fraction(0), least[2 * i + 1]))
        self.tree = None
        self.bound_all()

    def take_coordinates(self, record):
        for given in record["coordinates"]:
            require(given["input"] < len(self.network.inputs) and given["radius"] != 0, "a coordinate of no input")
        self.coordinates = record["coordinates"]

    def take_targets(self, record):
        self.begin_tree([self.functional(number) for number in record["targets"]], record["cuts"], False)
        for number in record["cuts"]:
            self.cut(number)

    def take_empty(self):
        require(self.empty, "a piece that may have a point")
        self.proven_empty = True

    def is_proven(self):
        return self.empty or len(self.refuted) == len(self.conjunctions)


def exact(reals):
    return [Fraction(value) for value in reals.values]


def covers(cases):
    """Whether these sets of decisions are the leaves of a tree of splits."""
    if any(not case for case in cases):
        return True
    if not cases:
        return False
    for unit in {decision // 2 for decision in cases[0]}:
        parts = [[[d for d in case if d != 2 * unit + side] for case in cases if 2 * unit + side in case]
                 for side in (0, 1)]
        if len(parts[0]) + len(parts[1]) == len(cases):
            return all(map(covers, parts))
    return False


class Check:
    """Reads the records one by one. self.proven: the (digest, unsafe set) of proven parts."""

    def __init__(self, network, digest, question):
        self.network, self.digest, self.question = network, digest, question
        self.regions = {query.region.digest(): query.region for query in question.queries}
        self.names, self.proven, self.unsafe = [], [], None
        self.part = self.piece = self.pieces = None

    def run(self, records):
        require(records[0].name == "ANSWER" and records[0]["arithmetic"] == "real", "the answer is not about reals")
        answer = records[0]["answer"]
        require(answer in (0, 1), "an answer that is neither")
        named = [record["digest"] for record in records if record.name == "NETWORK"]
        require(named == [self.digest], "the certificate is about another network")
        if answer == 1:
            witnesses = [record for record in records if record.name == "WITNESS"]
            require(len(witnesses) == 1, "there is not one witness")
            self.check_witness(witnesses[0])
            return "violated"
        for record in records[1:]:
            self.take(record)
        self.finish_part()
        for query in self.question.queries:
            for conjunction in query.conjunctions:
                require(any(digest == query.region.digest() and any(follows(conjunction, u) for u in unsafe)
                            for digest, unsafe in self.proven), "a part of the question is not proven")
        return "proven"

    def check_witness(self, record):
        x = [Fraction(value) for value in record["input"]]
        require(len(x) == len(self.network.inputs), "the witness has another number of inputs")
        for meant in self.question.inputs_meant(x):
            values = self.network.value(meant)
            if self.question.satisfied(meant, [values[e] for e in self.network.outputs]):
                return
        raise Rejected("the witness does not violate the question")

    def take(self, record):
        match record.name:
            case "NETWORK" | "END":
                return
            case "NAME":
                self.names.append((record["tensor"], record["number"]))
            case "UNSAFE":
                self.finish_part()
                self.unsafe = [[inequality_of(given) for given in given_conjunction]
                               for given_conjunction in record["conjunctions"]]
            case "PART":
                self.begin_part(record["digest"])
            case "PIECE":
                self.begin_piece(record["piece"])
            case "HALVED":
                self.halve(record)
            case "WITNESS":
                raise Rejected("a witness in a certificate of an answer that holds")
            case _:
                self.take_in_piece(record)

    def take_in_piece(self, record):
        piece = self.piece
        require(piece is not None, f"the record {record.name} is in no piece")
        work = {
            "EMPTY": lambda _: piece.take_empty(), "UNITS": piece.take_units, "COORDINATES": piece.take_coordinates,
            "TIGHT": piece.tighten, "REFUTED": piece.refute, "CUTS": lambda _: piece.cuts.clear(),
            "CUT": piece.take_cut, "MERGED": piece.take_merged, "TREE": piece.take_targets, "SPLIT": piece.split,
            "NARROW": piece.narrow, "IMPLY": piece.imply, "FORGET": piece.forget, "CLOSE": piece.close,
            "BARE": piece.bare, "PROGRAM": piece.program, "TREE_END": lambda _: piece.end_tree(),
            "ELEMENTS": piece.begin_elements, "BOUND": piece.bound_open,
            "ELEMENTS_END": lambda _: piece.end_elements(),
        }
        if record.name == "PROVEN":
            require(piece.is_proven(), "a piece is not proven")
            self.pieces[self.piece_number] = "proven"
            self.piece = None
            return
        work[record.name](record)

    # Rule 11: parts and their pieces.

    def begin_part(self, digest):
        self.finish_part()
        require(digest in self.regions, "a part that is not a region of the question")
        require(self.unsafe is not None, "a part without an unsafe set")
        self.part, region = digest, self.regions[digest]
        self.ball = region if isinstance(region, reference_question.Ball) else None
        self.pieces = [region.box()]

    def finish_part(self):
        if self.part is None:
            return
        require(all(piece in ("proven", "halved") for piece in self.pieces), "a piece is left open")
        self.proven.append((self.part, self.unsafe))
        self.part = self.piece = self.pieces = None

    def box_of(self, number):
        require(self.pieces is not None and number < len(self.pieces), "a piece that is not there")
        require(isinstance(self.pieces[number], tuple), "a piece that was done before")
        return self.pieces[number]

    def begin_piece(self, number):
        low, high = self.box_of(number)
        self.piece_number = number
        self.piece = Piece(self.network, self.names, self.ball, low, high, self.unsafe)

    def halve(self, record):
        low, high = self.box_of(record["piece"])
        i, p, q = record["input"], Fraction(record["p"]), Fraction(record["q"])
        require(i < len(low) and q <= p, "halves that leave a gap")
        self.pieces[record["piece"]] = "halved"
        self.pieces += [(low, [*high[:i], min(high[i], p), *high[i + 1:]]),
                        ([*low[:i], max(low[i], q), *low[i + 1:]], high)]
        self.piece = None


def inequality_of(given):
    sides = []
    for name in ("outputs", "inputs"):
        terms = {}
        for index, c in given[name]:
            add_to(terms, {index: Fraction(c)})
        sides.append(terms)
    return reference_question.Inequality(*sides, Fraction(given["bound"]), bool(given["strict"]))


def follows(conjunction, unsafe):
    """Whether what satisfies the conjunction satisfies all inequalities of an unsafe set's conjunction."""
    return all(any(implies(one, other) for one in conjunction) for other in unsafe)


def implies(one, other):
    """Whether the second is a multiple of the first, or weaker."""
    sides = [{("y", i): c for i, c in inequality.outputs.items() if c} |
             {("x", i): c for i, c in inequality.inputs.items() if c} for inequality in (one, other)]
    if sides[0].keys() != sides[1].keys() or not sides[0]:
        return False
    factor = next(sides[1][name] / c for name, c in sides[0].items())
    if factor <= 0 or any(sides[1][name] != factor * c for name, c in sides[0].items()):
        return False
    bound = factor * one.bound
    return bound < other.bound or (bound == other.bound and (one.strict or not other.strict))


def read_question(arguments, network):
    inputs, outputs = len(network.inputs), len(network.outputs)
    if arguments.property:
        opening = gzip.open if arguments.property.endswith(".gz") else open
        with opening(arguments.property, "rt") as file:
            return reference_question.Property(file.read(), inputs, outputs)
    kind, folder = arguments.data.split(":", 1)
    if kind != "mnist":
        raise reference_question.BrokenQuestion("only mnist:DIR is read")
    domain = [Fraction(end) for end in arguments.domain.split(",")]
    return reference_question.Sample(folder, arguments.sample, Fraction(arguments.eps), arguments.norm, domain, outputs)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("property", nargs="?")
    parser.add_argument("proof")
    parser.add_argument("--data")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--eps")
    parser.add_argument("--norm", choices=reference_question.Ball.NORMS, default="linf")
    parser.add_argument("--domain", default="0,1")
    arguments = parser.parse_args(arguments)
    try:
        opening = gzip.open if arguments.network.endswith(".gz") else open
        with opening(arguments.network, "rb") as file:
            content = file.read()
        network = reference_network.Network(content)
        question = read_question(arguments, network)
        records = certificate_records.read(arguments.proof)
    except (certificate_records.BrokenCertificate, reference_network.Unsupported,
            reference_question.BrokenQuestion) as error:
        print(f"reference_check.py: {error}", file=sys.stderr)
        return 65
    try:
        print(Check(network, hashlib.sha256(content).hexdigest(), question).run(records))
        return 0
    except Rejected as why:
        print(f"rejected: {why}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
