"""Rules 1, 2 and 4 of docs/certificates.md, for reference_check.py: bounds of elements over a piece, the list of units,
and the substitution that everything else rests on."""

import heapq
from fractions import Fraction

import reference_minimum
from reference_minimum import INFINITY, Functional, add_to, exact, minimum, near, require, short
from reference_network import Affine, Input, Maximum, Relu


NEAR_TIE = 1 - Fraction(1, 2**20)  # of default slopes


class Bounds:
    """What is known of the elements over one piece, and its list of units."""

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
        self.empty = reference_minimum.is_empty(ball, low, high)
        self.units, self.number_of, self.chains = [], {}, {}
        self.coordinates, self.cuts = [], []
        self.lower_ends, self.upper_ends, self.affine_bounds = [], [], {}
        self.rank = list(range(len(self.elements)))
        self.bound_new()

    # Rules 1 and 4: bounds of elements.

    def bound_new(self):
        """Bounds elements that have no bounds yet, in order. Default slopes depend on bounds, so that bounds that are
        there must stay as they are: with better ones, the substitution may prove less."""
        new = range(len(self.lower_ends), len(self.elements))
        self.lower_ends += [-INFINITY] * len(new)
        self.upper_ends += [INFINITY] * len(new)
        arguments = {definition.argument for definition in self.elements if isinstance(definition, Relu)}
        for element in sorted(new, key=self.rank.__getitem__):
            definition = self.elements[element]
            if isinstance(definition, Maximum):
                self.bound_members(definition.members)
            l, u = self.interval(definition)
            self.improve(element, l, -u)
            if element in arguments:
                self.bound_argument(element)

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
        self.affine_bounds = {}
        self.lower_ends[element] = max(self.lower_ends[element], lower)
        self.upper_ends[element] = min(self.upper_ends[element], -negated_upper)
        self.empty |= self.lower_ends[element] > self.upper_ends[element]

    def least(self, terms, unit_rule=None):
        """A lower bound over the piece by rules 2 and 3."""
        return minimum(self.ball, self.low, self.high, self.substitute(Functional(terms), unit_rule or self.default))

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
                line, added = self.maximum_line(element, definition.members, v)
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
        m = (v if u >= -NEAR_TIE * l else Fraction(0)) if v >= 0 else self.chord(l, u) * v
        return m, self.constant_of(v, m, l, u)

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

    def maximum_line(self, element, members, v):
        """Rule 2 for a maximum with the coefficient v: ({element: coefficient}, constant)."""
        if element in self.chains:
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
        self.affine_bounds = {}
        self.bound_new()
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

    def slopes_or_default(self, value, default):
        return self.by_choices(exact(value["slopes"])) if value["kind"] else default

    def refute(self, record):
        functional, strict, conjunction = self.functional(record["functional"])
        least = self.least_of(functional, self.slopes_or_default(record["slopes"], self.default))
        require(least > 0 or (strict and least == 0), f"a functional is not refuted, its bound is {float(least)}")
        self.refuted.add(conjunction)

    def refute_by_values(self, record):
        functional, strict, conjunction = self.functional(record["functional"])
        least = self.least_of(functional, self.by_box())
        require(least > 0 or (strict and least == 0), f"values alone do not refute, their bound is {float(least)}")
        self.refuted.add(conjunction)

    def functional(self, number):
        require(number < len(self.functionals), "a functional that is not there")
        return self.functionals[number]

    def least_of(self, functional, unit_rule, shares=None, listed=(), box=None):
        low, high = box or (self.low, self.high)
        return minimum(self.ball, low, high, self.substitute(functional, unit_rule, shares, listed))
