#!/usr/bin/env python3
"""Changed certificates, before plumb-check.

    tampering.py --plumb PATH --plumb-check PATH [--seconds S] [--seed N] [--keep DIR]

Plumb writes certificates of small questions: random networks (trees, ranges, cuts, elements, halves, maxima), samples
of examples/digits with l-infinity, l1 and l2 balls and a brightness, and a violated one. Each is changed in many ways, at
random places, and asked with

- its own question: changes that lose a part of the proof must be rejected; others may still prove it, which is true;
- a question that is false (Plumb's witness for it was evaluated exactly), after the certificate's own words about the
  question were made to fit the false one: nothing may be accepted.

Every rejection must be one line, with exit code 1 or 65, and take a few seconds at most. Prints for each kind of change
how often it was tried, rejected, and accepted with a true statement; each failure; and `N passed, N failed`. Exit code 1
on any failure. --keep keeps the files of failures.
"""

import argparse
import collections
import copy
import gzip
import itertools
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import numpy as np

import certificate_records
import reference
import reference_question

DIGITS = reference.DIGITS
NETWORK = DIGITS / "digits.onnx"
PATIENCE = 30  # seconds for a file of a few kB, on a machine that is busy
HUGE_NUMBER = 2**62
WANTED = {"CLOSE", "SPLIT", "NARROW", "TIGHT", "IMPLY", "BARE", "PROGRAM", "CUT", "MERGED", "ELEMENTS", "BOUND", "HALVED",
          "COORDINATES"}
RICH = (120, 171, 141)  # seeds whose certificates have halves; cuts and trees of elements; cuts
Case = collections.namedtuple("Case", "name network question records false retarget")


# Questions ----------------------------------------------------------------------------------------------------------

def random_case(test, folder, seed):
    """A box and a margin that holds; and one that a point exceeds, if only by a little."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    network, true, false = folder / "network.onnx", folder / "true.vnnlib", folder / "false.vnnlib"
    inputs, outputs = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    reference.random_network(rng, network, inputs, outputs)
    centre, radius = rng.uniform(-0.5, 0.5, inputs), rng.uniform(0.3, 1.5)
    reference.write_property(true, centre, radius, outputs, 0)
    run = test.run_plumb("worst", network, true, "--json")
    if run is None or run.returncode != 0:
        return None
    worst = json.loads(run.stdout)
    margin = round(worst["lower"] - float(rng.choice([0.001, 0.01])), 9)
    exceeded = round(worst["upper"] + 1e-6, 9)
    reference.write_property(true, centre, radius, outputs, margin)
    reference.write_property(false, centre, radius, outputs, exceeded)
    records = test.certificate(network, [true], 0, reference.OPTIONS[seed % len(reference.OPTIONS)])
    if records is None or test.certificate(network, [false], 1) is None:
        return None

    def retarget(changed):
        for record in changed:
            for inequality in itertools.chain(*record["conjunctions"]) if record.name == "UNSAFE" else ():
                inequality["bound"] += exceeded - margin + 1e-12
        return changed
    return Case(f"seed {seed}", network, [true], records, [[false]], retarget)


def digits_case(test, folder, sample, true, norm="linf", false=None):
    words = ["--data", f"mnist:{DIGITS}", "--sample", sample, "--norm", norm, "--eps"]
    records = test.certificate(NETWORK, [*words, true], 0)
    if records is None or test.certificate(NETWORK, [*words, false], 1) is None:
        return None
    ball = reference_question.Sample(DIGITS, sample, Fraction(false), norm, (0, 1), 10).ball

    def retarget(changed):
        for record in changed:
            if record.name == "PART":
                record.fields["digest"] = ball.digest()
        return changed
    others = [["--data", f"mnist:{DIGITS}", "--sample", sample, *more] for more in (
        ["--norm", norm, "--eps", "0.9"], ["--norm", "l1", "--eps", "40"], ["--norm", "l2", "--eps", "9"])]
    return Case(f"sample {sample}, {norm}", NETWORK, [*words, true], records, [[*words, false], *others], retarget)


def violated_case(test, folder, sample, eps):
    words = ["--data", f"mnist:{DIGITS}", "--sample", sample, "--eps"]
    records = test.certificate(NETWORK, [*words, eps], 1)
    return records and Case("violated", NETWORK, [*words, eps], records, [[*words, "0.06"]], lambda r: r)


def image_case(test, folder, sample):
    words = ["--data", f"mnist:{DIGITS}", "--sample", sample, "--perturbation"]
    records = test.certificate(NETWORK, [*words, "brightness:-0.1,0.1"], 0)
    if records is None or test.certificate(NETWORK, [*words, "blur:3x3"], 1) is None:
        return None
    return Case("brightness", NETWORK, [*words, "brightness:-0.1,0.1"], records, [[*words, "blur:3x3"]], lambda r: r)


# Changes of records: each yields (kind, changed records, whether it must be rejected). ------------------------------

def places_in(records):
    """(kind of number, whether it is a double, container, key) of all numbers, with record's and field's names."""
    def walk(value, container, key, name):
        if isinstance(value, certificate_records.Reals):
            for i in range(len(value.values)):
                yield name, True, value, i
        elif isinstance(value, dict):
            for k, v in value.items():
                yield from walk(v, value, k, f"{name}.{k}")
        elif isinstance(value, (list, tuple)):
            for i, v in enumerate(value):
                yield from walk(v, value, i, name)
        elif isinstance(value, (int, float)):
            yield name, isinstance(value, float), container, key
    for record in records:
        for field, value in record.fields.items():
            yield from walk(value, record.fields, field, f"{record.name}.{field}")


def put(container, key, change):
    """Changes one number. Reals are written as doubles then."""
    if isinstance(container, certificate_records.Reals):
        container.values = list(container.values)
        container.values[key] = change(container.values[key])
        container.form = 2
    else:
        container[key] = change(container[key])


REAL_CHANGES = {
    "negated": lambda v: -v, "doubled": lambda v: 2 * v, "plus 1": lambda v: v + 1, "minus 1": lambda v: v - 1,
    "zero": lambda v: 0.0, "minus zero": lambda v: -0.0, "next": lambda v: float(np.nextafter(v, np.inf)),
    "huge": lambda v: 1e308, "huge and negative": lambda v: -1e308, "1e30": lambda v: 1e30, "denormal": lambda v: 5e-324,
    "not a number": lambda v: float("nan"), "infinite": lambda v: float("inf")}
COUNT_CHANGES = {"next": lambda v: v + 1, "before": lambda v: max(v - 1, 0), "zero": lambda v: 0,
                 "too large": lambda v: HUGE_NUMBER, "other bit": lambda v: v ^ 2}


def listed_of(records):
    """Copies of records are made of lists, so that pairs can be changed."""
    def thawed(value):
        if isinstance(value, dict):
            return {k: thawed(v) for k, v in value.items()}
        return [thawed(v) for v in value] if isinstance(value, (list, tuple)) else copy.copy(value)
    return [certificate_records.Record(record.name, thawed(record.fields)) for record in records]


def changed_numbers(random_, records, most):
    """Each field of each kind of record, each change of a number, a few places."""
    fields = collections.defaultdict(list)
    for i, (name, is_real, container, _) in enumerate(places_in(records)):
        fields[name, is_real].append(i)
    choices = [(name, is_real, change, i) for (name, is_real), found in fields.items()
               for change in (REAL_CHANGES if is_real else COUNT_CHANGES)
               for i in random_.sample(found, min(most, len(found)))]
    random_.shuffle(choices)
    for name, is_real, change, i in choices:
        if change == "too large" and name.endswith((".kind", ".strict", ".upper")):
            continue  # these say which fields follow
        changed = listed_of(records)
        _, _, container, key = next(itertools.islice(places_in(changed), i, None))
        if name.endswith(".kind"):
            continue
        before = container.values[key] if isinstance(container, certificate_records.Reals) else container[key]
        put(container, key, (REAL_CHANGES if is_real else COUNT_CHANGES)[change])
        broken = change in ("not a number", "infinite")
        # An extreme multiplier may sit on a unit that does not matter; a number beyond a list never may.
        beyond = change == "too large" and before != HUGE_NUMBER and not name.startswith(("ANSWER", "UNSAFE.conj"))
        yield f"{name}: {change}", changed, broken or beyond and name in INDICES


INDICES = {"PIECE.piece", "SPLIT.subproblem", "SPLIT.unit", "CLOSE.subproblem", "NARROW.subproblem", "IMPLY.subproblem",
           "BARE.subproblem", "PROGRAM.subproblem", "HALVED.piece", "HALVED.input", "UNITS.units", "TIGHT.unit",
           "TREE.targets", "TREE.cuts", "REFUTED.functional", "ELEMENTS.name", "ELEMENTS.elements", "BOUND.subproblem",
           "NAME.number", "COORDINATES.coordinates.input", "CUT.bounded"}
NEEDED = {"ANSWER", "NETWORK", "PIECE", "PROVEN", "PART", "UNSAFE", "END", "HALVED", "TREE"}
ONCE = {"ANSWER", "NETWORK", "CLOSE", "BARE", "PROGRAM", "HALVED", "PROVEN", "END", "TREE_END", "ELEMENTS_END"}


def changed_lists(random_, records, most):
    """Records dropped, doubled, exchanged, moved, taken from one subproblem for another; entries of lists dropped."""
    by_name, in_elements = collections.defaultdict(list), False
    for i, record in enumerate(records):
        in_elements = record.name == "ELEMENTS" or (in_elements and record.name != "ELEMENTS_END")
        by_name[record.name].append((i, in_elements))
    for name, found in by_name.items():
        for i, element in random_.sample(found, min(most, len(found))):
            needed = name in NEEDED or (name in ("CLOSE", "BARE", "PROGRAM", "SPLIT") and not element)
            yield f"{name} dropped", records[:i] + records[i + 1:], needed and not alone_refuted(records, name)
            yield f"{name} doubled", records[:i] + records[i:i + 1] + records[i:], name in ONCE
            j = random_.randrange(len(records))
            moved = records[:i] + records[i + 1:]
            yield f"{name} moved", moved[:j] + [records[i]] + moved[j:], False
        others = [i for i, _ in found]
        if len(others) > 1 and records[others[0]].fields:
            for _ in range(most):
                i, j = random_.sample(others, 2)
                changed = listed_of(records)
                changed[i], changed[j] = changed[j], changed[i]
                yield f"two {name} exchanged", changed, False
                changed = listed_of(records)
                for field in changed[i].fields:
                    if field not in ("subproblem", "unit", "piece"):
                        changed[i].fields[field] = changed[j][field]
                yield f"{name} with another's choices", changed, False
    for i, record in enumerate(records):
        for field, value in record.fields.items():
            if isinstance(value, list) and value and random_.random() < 0.3:
                changed = listed_of(records)
                del changed[i][field][random_.randrange(len(value))]
                yield f"{record.name}.{field}: entry dropped", changed, False
                changed = listed_of(records)
                changed[i][field].append(copy.deepcopy(random_.choice(changed[i][field])))
                yield f"{record.name}.{field}: entry doubled", changed, False
    yield "reversed", records[:2] + records[2:-1][::-1] + records[-1:], len(records) > 4
    yield "nothing but header and end", records[:2] + records[-1:], True
    proven = [i for i, record in enumerate(records) if record.name == "PIECE"]
    if proven:
        i = random_.choice(proven)
        yield "proven at once", records[:i + 1] + [certificate_records.Record("PROVEN", {})] + records[i + 1:], True
        yield "claimed empty", records[:i + 1] + [certificate_records.Record(n, {}) for n in ("EMPTY", "PROVEN")] + \
            [r for r in records if r.name == "END"], True


def alone_refuted(records, name):
    """A tree whose targets something else refutes is not needed."""
    return name in ("TREE", "SPLIT", "CLOSE", "BARE", "PROGRAM") and any(
        "REFUTED" == record.name for record in records) or len([r for r in records if r.name == "TREE"]) > 1 \
        and name in ("CLOSE", "BARE", "PROGRAM")


def changed_words(random_, records, most):
    """Texts, halves, unsafe sets, proofs of cuts."""
    def with_change(name, change, which=None):
        changed = listed_of(records)
        found = [record for record in changed if record.name == name]
        if found:
            change(random_.choice(found))
            return changed
        return None

    def set_(field, value):
        return lambda record: record.fields.__setitem__(field, value)

    def gap(record):
        record.fields["q"] = float(np.nextafter(record["p"], np.inf))

    def wide_gap(record):
        record.fields["p"] -= 0.01

    def weaker(record):
        for inequality in itertools.chain(*record["conjunctions"]):
            inequality["bound"] -= 1e-9

    def lower_constant(record):
        record.fields["constant"] -= 0.1

    def no_proof(record):
        record.fields["proof"] = {"kind": 0}

    def no_cases(record):
        record.fields["proof"] = {"kind": 2, "cases": []}

    is_witness = any(record.name == "WITNESS" for record in records)
    texts = [("ANSWER", "answer", lambda r: r.fields.__setitem__("answer", 1 - r["answer"]), True),
             ("ANSWER", "arithmetic", set_("arithmetic", "float32"), True),
             ("NETWORK", "another hash", set_("digest", "0" * 64), True),
             ("NAME", "another tensor", set_("tensor", "nothing"), True),
             ("NAME", "breaks in the text", set_("tensor", "a\nb\x1b[2J\0c"), True),
             ("PART", "another digest", set_("digest", "f" * 64), True),
             ("UNSAFE", "smaller", weaker, True),
             ("UNSAFE", "no conjunction", set_("conjunctions", []), True),
             ("UNSAFE", "an impossible conjunction", set_("conjunctions", [[]]), True),
             ("HALVED", "a gap of one double", gap, True), ("HALVED", "a gap", wide_gap, True),
             ("CUT", "constant lowered", lower_constant, False), ("MERGED", "constant lowered", lower_constant, False),
             ("CUT", "without its proof", no_proof, False), ("CUT", "no cases", no_cases, True),
             ("WITNESS", "no input", set_("input", []), True),
             ("WITNESS", "far away", lambda r: r["input"].__setitem__(0, 1e6), True)]
    for name, what, change, fatal in texts:
        for _ in range(most if not fatal else 1):
            changed = with_change(name, change)
            if changed:
                yield f"{name}: {what}", changed, fatal or is_witness


def changed_bytes(random_, records):
    """The file itself: (kind, bytes)."""
    content = certificate_records.compose(records)
    packed = gzip.compress(content, mtime=0)
    for tenth in range(10):
        yield "truncated", packed[:len(packed) * tenth // 10]
        yield "truncated inside", gzip.compress(content[:len(content) * tenth // 10], mtime=0)
        at = random_.randrange(10, len(packed))
        yield "damaged gzip", packed[:at] + bytes([packed[at] ^ 1 << random_.randrange(8)]) + packed[at + 1:]
    yield "bytes after the end", gzip.compress(content + b"\0", mtime=0)
    yield "bytes after the stream", packed + b"more"
    yield "a second stream", packed + packed
    yield "another version", gzip.compress(content[:18] + b"\2" + content[19:], mtime=0)
    yield "another head", gzip.compress(b"P" + content[1:], mtime=0)
    yield "a version that is too long", gzip.compress(content[:18] + b"\xff" * 12 + content[19:], mtime=0)
    many = certificate_records.number_bytes(2**62)
    for kind in (4, 8, 9, 13, 15, 24, 29):
        yield "a list longer than the file", gzip.compress(content[:-1] + bytes([kind]) + many + b"\30", mtime=0)
    for kind in (2, 3, 5):
        yield "a text longer than the file", gzip.compress(content[:-1] + bytes([kind]) + many + b"abc", mtime=0)
    for kind in (0, 31, 255):
        yield "an unknown record", gzip.compress(content[:-1] + bytes([kind]) + content[-1:], mtime=0)


def flipped(random_, records):
    """A whole file with one byte changed before compression: it may still prove the same."""
    content = certificate_records.compose(records)
    at = random_.randrange(19, len(content))
    return gzip.compress(content[:at] + bytes([random_.randrange(256)]) + content[at + 1:], 1, mtime=0)


# Asking -------------------------------------------------------------------------------------------------------------

class Test:
    def __init__(self, plumb, plumb_check, folder, keep):
        self.plumb, self.plumb_check, self.folder, self.keep = plumb, plumb_check, folder, keep
        self.tried, self.rejected, self.accepted = collections.Counter(), collections.Counter(), collections.Counter()
        self.failures, self.number = [], itertools.count()

    def run_plumb(self, *words):
        try:
            return subprocess.run([self.plumb, *map(str, words), "-q", "--threads", "1"], capture_output=True, text=True,
                                  timeout=20)
        except subprocess.TimeoutExpired:
            return None

    def certificate(self, network, question, wanted, options=()):
        """Its records, once the checker has accepted it (small ones in both arithmetics); None if the answer differs."""
        path = self.folder / f"{next(self.number)}.plumb"
        run = self.run_plumb("verify", network, *question, *options, "--certificate", path)
        if run is None or run.returncode != wanted:
            return None
        for exact in ([],) if network == NETWORK or path.stat().st_size > 2000 else ([], ["--exact"]):
            code, message = self.ask(network, question, path, exact)
            if code != 0:
                self.failures.append(f"Plumb's own certificate is rejected: {network} {question}: {message}")
        return certificate_records.read(path)

    def ask(self, network, question, path, options=()):
        run = subprocess.run([self.plumb_check, *options, str(network), *map(str, question), str(path)],
                             capture_output=True, text=True, errors="replace", timeout=PATIENCE)
        return run.returncode, (run.stdout + run.stderr).strip()

    def refuse(self, case, kind, content, question, must, exact, asked):
        """One changed certificate. `must`: whether accepting it is a failure."""
        path = self.folder / f"{next(self.number)}.plumb"
        path.write_bytes(content)
        try:
            code, message = self.ask(case.network, question, path, ["--exact"] if exact else [])
        except subprocess.TimeoutExpired:
            code, message = None, f"no answer within {PATIENCE} seconds"
        self.tried[kind] += 1
        problem = None
        if code == 0:
            self.accepted[kind] += 1
            problem = f"ACCEPTED, {asked}: {message}" if must else None
        elif code in (1, 65):
            self.rejected[kind] += 1
            problem = f"a message of several lines: {message}" if "\n" in message else None
        else:
            problem = f"exit code {code}: {message}"
        if problem:
            self.failures.append(f"{case.name}, {kind}, {'exactly' if exact else 'with intervals'}: {problem}")
            if self.keep:
                target = self.keep / path.stem
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
                shutil.copy(case.network, target)
                for word in question:
                    if isinstance(word, pathlib.Path):
                        shutil.copy(word, target)
                (target / "why").write_text(f"{self.failures[-1]}\n{question}\n")
        path.unlink()

    def attempts(self, case, random_):
        """Without end: (case, kind, bytes, question, whether it must be rejected, which question)"""
        violated = any(record.name == "WITNESS" for record in case.records)
        false = case.false[0]

        def of_records(make):
            while True:
                for kind, changed, must in make(random_, case.records, 1):
                    try:
                        yield case, kind, packed(changed), case.question, must, "its own question"
                        if not violated:
                            yield case, kind, packed(case.retarget(listed_of(changed))), false, True, "false question"
                    except (OverflowError, struct.error):
                        pass  # no certificate can have such a number

        def of_bytes():
            while True:
                for kind, content in changed_bytes(random_, case.records):
                    yield case, kind, content, case.question, True, "its own question"
                    yield case, "one byte of a record", flipped(random_, case.records), case.question, False, \
                        "its own question"
                    retargeted = case.retarget(listed_of(case.records))
                    yield case, "one byte of a record", flipped(random_, retargeted), false, True, "false question"
                yield case, "the words of another question", packed(retargeted), false, True, "false question"
                for question in case.false:
                    yield case, "command line: another question", packed(case.records), question, True, "false question"
        return in_turn(of_bytes(), of_records(changed_words), of_records(changed_lists), of_records(changed_numbers),
                       of_records(changed_numbers))


def packed(records):
    return gzip.compress(certificate_records.compose(records), 1, mtime=0)


def in_turn(*sources):
    for entries in itertools.zip_longest(*sources):
        yield from (entry for entry in entries if entry is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--plumb-check", required=True)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    random_ = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test = Test(arguments.plumb, arguments.plumb_check, folder, arguments.keep)
        cases, missing, started = [], set(WANTED), time.monotonic()
        for true, norm, false in (("0.06", "linf", "0.3"), ("0.25", "l2", "3"), ("0.5", "l1", "12")):
            cases.append(digits_case(test, folder, 7, true, norm, false))
        cases += [image_case(test, folder, 7), violated_case(test, folder, 7, "0.3")]
        for seed in [*RICH, *range(1000 * arguments.seed, 1000 * arguments.seed + 40)]:
            case = random_case(test, folder / f"seed{seed}", seed)
            met = {record.name for record in case.records} if case else set()
            if case and (seed in RICH or len(certificate_records.compose(case.records)) < 4000):
                missing -= met
                cases.append(case)
            if len(cases) > 12 or time.monotonic() - started > arguments.seconds / 3:
                break
        cases = [case for case in cases if case]
        work = in_turn(*[test.attempts(case, random_) for case in cases])
        while time.monotonic() - started < arguments.seconds:
            entries = list(itertools.islice(work, 40))
            if not entries:
                break
            for number, entry in enumerate(entries):
                exact = number % 5 == 0 and len(entry[2]) < 2000 and entry[0].network != NETWORK  # else it takes long
                test.refuse(*entry[:5], exact, entry[5])
    print(f"{len(cases)} certificates; records that none has: {sorted(missing)}")
    print(f"{'kind':55} {'tried':>6} {'rejected':>9} {'accepted, true':>15}")
    for kind in sorted(test.tried):
        print(f"{kind:55} {test.tried[kind]:6} {test.rejected[kind]:9} {test.accepted[kind]:15}")
    if len(test.tried) < 60:
        test.failures.append(f"only {len(test.tried)} kinds of change")
    if len(cases) < 6:
        test.failures.append(f"only {len(cases)} certificates")
    print("\n".join(f"FAILED {failure}" for failure in test.failures))
    print(f"{len(test.tried)} kinds, {sum(test.tried.values()) - len(test.failures)} passed, {len(test.failures)} failed")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
