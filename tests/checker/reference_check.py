#!/usr/bin/env python3
"""A second checker of certificates, written from docs/certificates.md alone: slow, exact, and as short as the rules.

    reference_check.py NET PROPERTY.vnnlib PROOF
    reference_check.py NET --data mnist:DIR --sample K --eps E [--norm linf|l1|l2] [--domain LO,HI] PROOF

It reads dense networks (reference_network.py), VNN-LIB 1.0 with boxes, and samples of IDX files with balls
(reference_question.py). The rules are in reference_minimum.py (3), reference_bounds.py (1, 2, 4) and reference_trees.py
(5 to 10); this file takes the records one by one and covers pieces (11), witnesses and the question. All numbers are
rationals; only square roots (of l2 balls) are bounded. Prints `proven`, `violated` or `rejected: why`. Exit codes: 0
proven or violated, 1 rejected, 65 a file that is broken or not supported.

Functions that carry a rule name it by its number in the document.
"""

import argparse
import gzip
import hashlib
import sys
from fractions import Fraction

import certificate_records
import reference_network
import reference_question
from reference_minimum import Rejected, add_to, require
from reference_trees import Piece


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
            "TIGHT": piece.tighten, "REFUTED": piece.refute, "VALUES": piece.refute_by_values,
            "CUTS": lambda _: piece.cuts.clear(),
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
