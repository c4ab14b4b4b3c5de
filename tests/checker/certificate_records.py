"""Certificates as lists of records: reads one into Python values, and writes them again byte by byte.

    records = read(path)                        # [Record(name="ANSWER", fields={"answer": 0, ...}), ...]
    records[5].fields["slopes"].values[3] = 0.5
    write(path, records)

The format is that of docs/certificates.md. What is read and written again without a change has the same bytes (before
compression): `Reals` remember in which of their forms they were written. A value that a form cannot express makes
`write` choose doubles. Nothing is checked here but the format itself; a broken one raises `BrokenCertificate`.
"""

import dataclasses
import gzip
import math
import struct
import zlib

HEAD = b"plumb certificate\n"
VERSION = 1
LARGEST = 2**63 - 1


class BrokenCertificate(Exception):
    """What is wrong with the bytes of a certificate."""


@dataclasses.dataclass
class Record:
    name: str
    fields: dict

    def __getitem__(self, field):
        return self.fields[field]


@dataclasses.dataclass
class Reals:
    """K numbers, as floats of Python; `form` is the byte that says how they are written."""
    form: int
    values: list


class Reader:
    def __init__(self, content):
        self.content, self.at = content, 0
        self.units = self.cuts = 0  # how many numbers reals(K) and reals(C) have

    def bytes(self, count):
        if count > len(self.content) - self.at:
            raise BrokenCertificate("it ends within a record")
        self.at += count
        return self.content[self.at - count:self.at]

    def number(self):
        value = shift = 0
        while True:
            byte = self.bytes(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if value > LARGEST or shift > 70:
                raise BrokenCertificate("a number is too large")
            if byte < 128:
                return value

    def count(self):
        """A number of entries, each of which takes a byte or more."""
        value = self.number()
        if value > len(self.content) - self.at:
            raise BrokenCertificate("it ends within a record")
        return value

    def real(self, form="<d"):
        value, = struct.unpack(form, self.bytes(struct.calcsize(form)))
        if not math.isfinite(value):
            raise BrokenCertificate("a number is not finite")
        return value


def number_bytes(value):
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes(written) + bytes([value])


# Fields. Each kind of field reads its value from a reader, and gives the bytes of a value.

class N:
    read = staticmethod(Reader.number)
    bytes = staticmethod(number_bytes)


class D:
    read = staticmethod(Reader.real)
    bytes = staticmethod(struct.Struct("<d").pack)


class Text:
    @staticmethod
    def read(reader):
        try:
            return reader.bytes(reader.number()).decode()
        except UnicodeDecodeError as error:
            raise BrokenCertificate("a text is not UTF-8") from error

    @staticmethod
    def bytes(value):
        return number_bytes(len(value.encode())) + value.encode()


class RealsField:
    """reals(K), or reals(C) for the weights of cuts."""

    def __init__(self, counted):
        self.counted = counted

    def read(self, reader):
        size, form = getattr(reader, self.counted), reader.bytes(1)[0]
        if form == 0:
            return Reals(form, [0.0] * size)
        if form == 3:
            return Reals(form, [reader.real()] * size)
        if form > 5:
            raise BrokenCertificate(f"reals of the unknown form {form}")
        single = "<f" if form in (1, 4) else "<d"
        if form in (1, 2):
            return Reals(form, [reader.real(single) for _ in range(size)])
        values, at = [0.0] * size, -1
        for _ in range(reader.count()):
            distance = reader.number()
            at += distance
            if distance == 0 or at >= size:
                raise BrokenCertificate(f"one of {size} reals is given the place {at}")
            values[at] = reader.real(single)
        return Reals(form, values)

    @staticmethod
    def bytes(reals):
        values, form = reals.values, reals.form
        if not RealsField._expresses(form, values):
            form = 2
        if form == 0:
            return b"\0"
        if form == 3:
            return b"\3" + D.bytes(values[0])
        pack = struct.Struct("<f" if form in (1, 4) else "<d").pack
        if form in (1, 2):
            return bytes([form]) + b"".join(map(pack, values))
        places = [place for place, value in enumerate(values) if value != 0]
        distances = [place - before for place, before in zip(places, [-1, *places])]
        return bytes([form]) + number_bytes(len(places)) + b"".join(
            number_bytes(distance) + pack(values[place]) for distance, place in zip(distances, places))

    @staticmethod
    def _expresses(form, values):
        if form == 0:
            return not any(values)
        if form == 3:
            return bool(values) and len(set(values)) == 1
        return form not in (1, 4) or all(struct.unpack("<f", struct.pack("<f", v))[0] == v for v in values)


class Group:
    """Several fields: a dictionary."""

    def __init__(self, **fields):
        self.fields = fields

    def read(self, reader):
        return {name: field.read(reader) for name, field in self.fields.items()}

    def bytes(self, value):
        return b"".join(field.bytes(value[name]) for name, field in self.fields.items())


class Pair:
    """Two fields: a tuple."""

    def __init__(self, first, second):
        self.first, self.second = first, second

    def read(self, reader):
        return self.first.read(reader), self.second.read(reader)

    def bytes(self, value):
        return self.first.bytes(value[0]) + self.second.bytes(value[1])


class List:
    """A number of entries, then the entries."""

    def __init__(self, entry):
        self.entry = entry

    def read(self, reader):
        return [self.entry.read(reader) for _ in range(reader.count())]

    def bytes(self, value):
        return number_bytes(len(value)) + b"".join(map(self.entry.bytes, value))


class Cases:
    """A number, then the fields that this number asks for: a dictionary, in which "kind" is the number."""

    def __init__(self, *groups):
        self.groups = [Group(**group) for group in groups]

    def read(self, reader):
        kind = reader.number()
        if kind >= len(self.groups):
            raise BrokenCertificate(f"the number {kind} where less than {len(self.groups)} was expected")
        return {"kind": kind} | self.groups[kind].read(reader)

    def bytes(self, value):
        return number_bytes(value["kind"]) + self.groups[value["kind"]].bytes(value)


class Counting:
    """A list whose length is the K (units) or the C (cuts) of the reals that follow."""

    def __init__(self, entry, counted):
        self.list, self.counted, self.bytes = List(entry), counted, List(entry).bytes

    def read(self, reader):
        value = self.list.read(reader)
        setattr(reader, self.counted, len(value))
        return value


TERMS = List(Pair(N, D))
NUMBERS = List(N)
REALS = RealsField("units")
CHOSEN_BY_CUTS = List(Pair(N, N))
SLOPES_OR_DEFAULT = Cases({}, {"slopes": REALS})
CHOICES = {"slopes": REALS, "multipliers": REALS, "weights": RealsField("cuts"), "constraints": TERMS}
LINK = Group(member=N, link=Cases({}, {"unit": N}, {}))
CUT = {"bounded": TERMS, "coordinates": TERMS, "units": TERMS, "constant": D}
PROOF = Cases({}, {"slopes": REALS, "cuts": CHOSEN_BY_CUTS},
              {"cases": List(Group(decisions=NUMBERS, slopes=REALS, multipliers=REALS, cuts=CHOSEN_BY_CUTS))})
INEQUALITY = Group(outputs=TERMS, inputs=TERMS, bound=D, strict=N)
IMPLICATION = Group(source=N, premise=N, about=N, number=N, upper=N, coefficient=D, claimed=D, slopes=SLOPES_OR_DEFAULT)

KINDS = {
    1: ("ANSWER", Group(answer=N, arithmetic=Text)),
    2: ("NETWORK", Group(digest=Text)),
    3: ("NAME", Group(tensor=Text, number=N)),
    4: ("UNSAFE", Group(conjunctions=List(List(INEQUALITY)))),
    5: ("PART", Group(digest=Text)),
    6: ("PIECE", Group(piece=N)),
    7: ("EMPTY", Group()),
    8: ("UNITS", Group(units=Counting(Pair(N, N), "units"),
                       chains=List(Group(name=N, element=N, first=N, links=List(LINK))))),
    9: ("COORDINATES", Group(coordinates=List(Group(input=N, centre=D, radius=D)))),
    10: ("TIGHT", Group(unit=N, lower=REALS, upper=REALS)),
    11: ("REFUTED", Group(functional=N, slopes=SLOPES_OR_DEFAULT)),
    31: ("VALUES", Group(functional=N)),
    12: ("CUTS", Group()),
    13: ("CUT", Group(**CUT, proof=PROOF)),
    14: ("MERGED", Group(**CUT, cuts=TERMS)),
    15: ("TREE", Group(targets=NUMBERS, cuts=Counting(N, "cuts"))),
    16: ("SPLIT", Group(subproblem=N, unit=N)),
    17: ("NARROW", Group(subproblem=N, **CHOICES, ranges=List(Group(end=N, factor=D, claimed=D)))),
    18: ("IMPLY", Group(subproblem=N, implications=List(IMPLICATION))),
    19: ("FORGET", Group(subproblem=N)),
    20: ("CLOSE", Group(subproblem=N, **CHOICES)),
    21: ("BARE", Group(subproblem=N)),
    22: ("PROGRAM", Group(subproblem=N, empty=N, multipliers=REALS, constraints=TERMS, inequalities=List(D))),
    23: ("TREE_END", Group()),
    24: ("ELEMENTS", Group(name=N, elements=NUMBERS)),
    25: ("BOUND", Group(subproblem=N, **CHOICES)),
    26: ("ELEMENTS_END", Group()),
    27: ("HALVED", Group(piece=N, input=N, p=D, q=D)),
    28: ("PROVEN", Group()),
    29: ("WITNESS", Group(input=List(D), parameters=List(D))),
    30: ("END", Group()),
}
KIND_OF = {name: kind for kind, (name, _) in KINDS.items()}


def parse(content):
    """The records of an uncompressed certificate."""
    reader = Reader(content)
    if reader.bytes(min(len(HEAD), len(content))) != HEAD:
        raise BrokenCertificate("it does not begin like a certificate")
    version = reader.number()
    if version != VERSION:
        raise BrokenCertificate(f"it has the format's version {version}")
    records = []
    while not records or records[-1].name != "END":
        kind = reader.bytes(1)[0]
        if kind not in KINDS:
            raise BrokenCertificate(f"a record of the unknown kind {kind}")
        name, group = KINDS[kind]
        records.append(Record(name, group.read(reader)))
        if name == "UNITS" or name == "ELEMENTS":
            reader.cuts = 0
    if reader.at != len(content):
        raise BrokenCertificate("something follows the record END")
    return records


def compose(records):
    """The uncompressed certificate that has these records."""
    return HEAD + number_bytes(VERSION) + b"".join(
        bytes([KIND_OF[record.name]]) + KINDS[KIND_OF[record.name]][1].bytes(record.fields) for record in records)


def read(path):
    try:
        with gzip.open(path) as file:
            content = file.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BrokenCertificate(f"it is not a whole gzip stream: {error}") from error
    return parse(content)


def write(path, records):
    with open(path, "wb") as file:
        file.write(gzip.compress(compose(records), mtime=0))
