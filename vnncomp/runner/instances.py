"""A list of instances: a CSV file with the columns category, onnx, vnnlib, timeout_s and, where known, verdict; or one
of the competition's own, which has no head: onnx, vnnlib, timeout. Its category is the name of the folder it lies in.

Paths are relative to the file; where a file is not there, but compressed (.gz) is, that is meant. onnx may be a list,
[("f","f.onnx"),("g","g.onnx")], for properties of several networks.
Everything is checked before anything runs: a mistake in the last row should not show after hours.
"""

import csv
import dataclasses
import hashlib
import io
import math
import pathlib
import re

COLUMNS = ("category", "onnx", "vnnlib", "timeout_s")
WITHOUT_HEAD = ("onnx", "vnnlib", "timeout_s")
NEEDED = f"it needs {', '.join(COLUMNS)}, or rows of network, property and seconds and no head"
PAIR = re.compile(r"""[(]\s*["']([^"']+)["']\s*,\s*["']([^"']+)["']\s*[)]""")


class Mistake(Exception):
    """What, where, what to do; and plumb's exit code for it."""

    def __init__(self, where, problem, hint, code=65):
        super().__init__(f"vnncomp: {where}: {problem}\n         {hint}")
        self.code = code


@dataclasses.dataclass(frozen=True)
class Instance:
    category: str
    onnx: str  # as in the list; with vnnlib, what names the instance
    vnnlib: str
    timeout: float
    known: str  # sat, unsat, or nothing
    confidence: str  # how it is known
    folder: pathlib.Path

    @property
    def name(self):
        stem = " ".join(pathlib.Path(file).name.split(".onnx")[0] for _, file in self.pairs())
        return f"{self.category}: {stem} {pathlib.Path(self.vnnlib).name.split('.vnnlib')[0]}"

    @property
    def key(self):
        return self.category, self.onnx, self.vnnlib

    @property
    def property_file(self):
        return packed_or_not(self.folder / self.vnnlib)

    def pairs(self):
        """(name in the property or nothing, file) of each network."""
        found = PAIR.findall(self.onnx) if self.onnx.startswith("[") else [("", self.onnx)]
        return [(name, str(packed_or_not(self.folder / file))) for name, file in found]

    def network_argument(self):
        """What run_instance.sh gets as ONNX."""
        if not self.onnx.startswith("["):
            return self.pairs()[0][1]
        return "[" + ",".join(f'("{name}","{file}")' for name, file in self.pairs()) + "]"


def packed_or_not(file):
    """The competition's lists name files without the .gz that its repository adds."""
    packed = file.with_name(file.name + ".gz")
    return packed if packed.is_file() and not file.is_file() else file


def table_of(text, path):
    """A reader of the rows as dictionaries, of a list with or without a head."""
    first = next((row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row), [])
    headless = len(first) == len(WITHOUT_HEAD) and is_number(first[-1])
    rows = csv.DictReader(io.StringIO(text, newline=""), WITHOUT_HEAD if headless else None, strict=True,
                          skipinitialspace=True)
    missing = [] if headless else [column for column in COLUMNS if column not in (rows.fieldnames or ())]
    if missing:
        raise Mistake(path, f"the first row has no column {', '.join(missing)}", NEEDED)
    return rows, {"category": path.resolve().parent.name} if headless else {}


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_instances(path):
    """(instances, a hash of the list)."""
    path = pathlib.Path(path)
    try:
        raw = path.read_bytes()
        rows, same_for_all = table_of(raw.decode(), path)
        numbered = [(rows.line_num, instance_of(path, rows.line_num, same_for_all | row)) for row in rows]
    except OSError as error:
        raise Mistake(path, f"cannot be read: {error.strerror}", "give the path of a list of instances", 66) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise Mistake(path, f"is no CSV file: {error}", NEEDED) from None
    if not numbered:
        raise Mistake(path, "has no instances", "add a row for each")
    seen = {}
    for number, instance in numbered:
        if instance.key in seen:
            raise Mistake(f"{path}: row {number}", f"is the same instance as row {seen[instance.key]}", "remove one")
        seen[instance.key] = number
    return [instance for _, instance in numbered], hashlib.sha256(raw).hexdigest()[:16]


def instance_of(path, number, row):
    where = f"{path}: row {number}"
    if None in row or any(row[column] is None for column in COLUMNS):
        raise Mistake(where, "has more or fewer fields than the first row", "quote fields that contain commas")
    try:
        timeout = float(row["timeout_s"])
    except ValueError:
        timeout = math.nan
    if not 0 < timeout < math.inf:
        raise Mistake(where, f"timeout_s is '{row['timeout_s']}'", "give a number of seconds above 0")
    known = row.get("verdict") or ""
    if known not in ("sat", "unsat", "unknown", ""):
        raise Mistake(where, f"the verdict is '{known}'", "it is sat, unsat, or unknown")
    if not row["category"]:
        raise Mistake(where, "has no category", "any word will do")
    instance = Instance(row["category"], row["onnx"], row["vnnlib"], timeout, "" if known == "unknown" else known,
                        row.get("confidence") or "", path.parent.resolve())
    if not instance.pairs():
        raise Mistake(where, f"'{instance.onnx}' is neither a file nor a list of networks", '[("f","f.onnx"),...]')
    for file in [file for _, file in instance.pairs()] + [instance.property_file]:
        if not pathlib.Path(file).is_file():
            raise Mistake(where, f"{file} is not there", "paths are relative to the list", 66)
    return instance


def of_categories(instances, wanted, path):
    there = list(dict.fromkeys(instance.category for instance in instances))
    for category in wanted:
        if category not in there:
            raise Mistake("--only", f"{path} has no category '{category}'", f"it has {', '.join(there)}", 64)
    return [instance for instance in instances if not wanted or instance.category in wanted]
