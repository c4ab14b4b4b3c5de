"""A folder of results, to which each instance is added as it finishes.

    settings.json   what was asked: another engine, limit, program or list does not continue it
    results.csv     a line an instance, appended and flushed at once; a line that a crash cut off is dropped
    answers/        results files as run_instance.sh wrote them, counterexamples too
    results.html    the page

One run at a time: the folder is locked while a run uses it.
"""

import csv
import fcntl
import io
import json
import os
import pathlib

from instances import Mistake
from one_run import Result

FIELDS = ["category", "onnx", "vnnlib", "limit_s", "known", "answer", "outcome", "seconds", "peak_mib", "reason",
          "remark"]
# What a folder is about, and how a difference is named. The machine is recorded, but may change.
COMPARED = {"engine": "--engine", "limit": "--limit", "plumb": "plumb", "list": "a list of instances with the hash"}


class ResultFolder:
    def __init__(self, path, settings):
        """Opens a folder to write into it, or makes it."""
        self.path = pathlib.Path(path)
        (self.path / "answers").mkdir(parents=True, exist_ok=True)
        self.lock = open(self.path / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Mistake(self.path, "another run uses this folder", "wait for it, or use another --out") from None
        if (self.path / "settings.json").exists():
            refuse_other(self.path, read_settings(self.path), settings)
        else:
            replace(self.path / "settings.json", json.dumps(settings, indent=2) + "\n")
        self.settings = settings
        self.rows = read_rows(self.path)
        self.rewrite()

    def rewrite(self):
        """results.csv as it should be: without what was cut off or is to run again."""
        lines = [line_of(FIELDS), *(line_of(row.values()) for row in self.rows.values())]
        replace(self.path / "results.csv", "".join(lines))

    def forget(self, outcome, keys):
        """These instances run again, where this was their outcome."""
        self.rows = {key: row for key, row in self.rows.items() if row["outcome"] != outcome or key not in keys}
        self.rewrite()

    def answer_file(self, number):
        return self.path / "answers" / f"{number:04}.txt"

    def add(self, instance, limit, result: Result):
        row = dict(zip(FIELDS, [*instance.key, f"{limit:g}", instance.known, result.answer, result.outcome,
                                f"{result.seconds:.3f}", f"{result.peak_mib:.1f}", one_line(result.reason),
                                one_line(result.remark)], strict=True))
        with open(self.path / "results.csv", "ab", buffering=0) as file:
            file.write(line_of(row.values()).encode())
            os.fsync(file.fileno())
        self.rows[instance.key] = row
        return row


def refuse_other(path, there, asked):
    different = [key for key in COMPARED if there.get(key) != asked[key]]
    if not different:
        return
    was = ", ".join(f"{COMPARED[key]} {there.get(key)}" for key in different)
    now = ", ".join(f"{COMPARED[key]} {asked[key]}" for key in different)
    raise Mistake(path, f"was made with {was}; this command has {now}", "use another --out")


def read_settings(path):
    try:
        return json.loads((pathlib.Path(path) / "settings.json").read_text())
    except FileNotFoundError:
        problem = "is no folder of results: there is no settings.json"
        raise Mistake(path, problem, "scripts/vnncomp makes them", 66) from None
    except ValueError:
        raise Mistake(pathlib.Path(path) / "settings.json", "is broken", "use another --out") from None


def read_rows(path):
    """{key: row}. What stands after the last end of a line was cut off."""
    file = pathlib.Path(path) / "results.csv"
    if not file.exists():
        return {}
    text = file.read_text()
    rows = list(csv.DictReader(io.StringIO(text[:text.rfind("\n") + 1])))
    for number, row in enumerate(rows, 2):
        if list(row) != FIELDS or None in row.values() or not is_number(row["seconds"]):
            raise Mistake(f"{file}: row {number}", "is not what was written there", "remove the row, and it runs again")
    return {(row["category"], row["onnx"], row["vnnlib"]): row for row in rows}


def is_number(text):
    try:
        return float(text) >= 0
    except ValueError:
        return False


def one_line(text):
    return " ".join(text.split())


def line_of(values):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()


def replace(path, text):
    """Either the old file or the new one, whenever the machine stops."""
    new = path.with_suffix(".new")
    with open(new, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
