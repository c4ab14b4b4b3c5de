"""Rules 5 to 10 of docs/certificates.md, for reference_check.py: cuts, and trees of subproblems."""

from fractions import Fraction

import reference_minimum
from reference_bounds import Bounds
from reference_minimum import INFINITY, Functional, add_to, exact, minimum, require, short
from reference_network import Relu


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


class Cuts(Bounds):
    """Rule 5."""

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


class Piece(Cuts):
    """Work on one piece. Rules 7 to 10: trees."""

    def begin_tree(self, targets, cuts, for_elements):
        """targets: (functional, strict, conjunction)."""
        require(self.tree is None, "a tree within a tree")
        self.tree, self.tree_cuts, self.for_elements = targets, cuts, for_elements
        self.subproblems = [Subproblem(i, list(self.low), list(self.high)) for i in range(len(targets))]

    def subproblem(self, record):
        require(self.tree is not None and record["subproblem"] < len(self.subproblems),
                "a subproblem that is not there")
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
        least = minimum(self.ball, subproblem.low, subproblem.high, self.affine_of(subproblem, record))
        subproblem.bound = max(subproblem.bound, least)

    def bare(self, record):
        subproblem = self.subproblem(record)
        require(self.is_bare(subproblem), "ranges that leave points")
        subproblem.open = False

    def is_bare(self, subproblem):
        """Rule 8: ranges leave no unsafe point."""
        ends = (self.ends(unit, subproblem) for unit in {*subproblem.ranges, *subproblem.decisions})
        return (subproblem.bare or any(l > u for l, u, _ in ends) or
                reference_minimum.is_empty(self.ball, subproblem.low, subproblem.high))

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
            require(not self.for_elements and conjunction == self.tree[subproblem.root][2],
                    "a premise of another target")
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
