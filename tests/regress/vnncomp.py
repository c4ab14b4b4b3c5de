#!/usr/bin/env python3
"""Instances of the competition with known verdicts.

    tests/regress/vnncomp.py --plumb build/release/plumb                          what `make test` runs
    tests/regress/vnncomp.py --plumb build/release/plumb --all 60 --out table.csv  every instance, 60 s each; resumable

Every property must be read and fit its network. The quick instances are solved: no verdict may contradict the known one,
those that were decided must stay decided, and every witness must satisfy the property with the outputs that ONNX
Runtime computes, by an evaluation of the property that shares nothing with Plumb's (vnncomp_checker.py). Exit code 77
where the shared folder is absent.
"""

import argparse
import concurrent.futures
import csv
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import onnxruntime

from vnncomp_checker import Property, text_of

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
FOLDER = SHARED / "vnncomp"
ANSWER = {"holds": "unsat", "violated": "sat", "unknown": "unknown"}
# The instances that were decided within two seconds or so; they get some more here, for machines that are busy.
QUICK_FILE = pathlib.Path(__file__).with_name("vnncomp_quick.txt")
QUICK_SECONDS = 30


def instances():
    with open(FOLDER / "instances.csv", newline="") as file:
        return list(csv.DictReader(file))


def name_of(row):
    return f"{row['category']}: {pathlib.Path(row['onnx']).name.split('.onnx')[0]} " \
           f"{pathlib.Path(row['vnnlib']).name.split('.vnnlib')[0]}"


def verify(plumb, row, seconds):
    """Plumb's answer, or what went wrong; and the seconds that it took."""
    start = time.monotonic()
    command = [plumb, "verify", str(FOLDER / row["onnx"]), str(FOLDER / row["vnnlib"]), "--json", "-q", "--timeout",
               str(seconds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120)
    except subprocess.TimeoutExpired:
        return {"verdict": "unknown", "reason": "did not stop at its time limit"}, time.monotonic() - start
    took = time.monotonic() - start
    if done.returncode not in (0, 1, 2):
        return {"verdict": "error", "reason": done.stderr.strip() or f"exit code {done.returncode}"}, took
    answer = json.loads(done.stdout)
    assert done.returncode == ["holds", "violated", "unknown"].index(answer["verdict"]), (done.returncode, answer)
    return answer, took


def runtime_outputs(row, witness):
    raw = (FOLDER / row["onnx"]).read_bytes()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw, options)
    description = session.get_inputs()[0]
    shape = [d if isinstance(d, int) and d > 0 else 1 for d in description.shape]
    assert len(session.get_inputs()) == 1
    point = np.array(witness, np.float64).astype(np.float32).reshape(shape)
    return np.concatenate([y.reshape(-1) for y in session.run(None, {description.name: point})])


def witness_fault(row, witness):
    """Nothing, or why the witness is none. A note where it is one only for constants read as doubles."""
    question = Property(text_of(FOLDER / row["vnnlib"]))
    outputs = runtime_outputs(row, witness)
    if question.satisfied(witness, outputs):
        return None, ""
    # An input that is fixed at a number that is no double has no exact witness: the nearest double must do.
    if question.satisfied(witness, outputs, exact=False):
        return None, "constants as doubles"
    return "ONNX Runtime's outputs do not satisfy the property", ""


def check(row, answer):
    """(fault or None, what to print)."""
    ours = ANSWER.get(answer["verdict"], "error")
    if ours == "error":
        return answer["reason"], ours
    if {ours, row["verdict"]} == {"sat", "unsat"}:
        return f"known as {row['verdict']}, but Plumb says {ours}: {answer['reason']}", ours
    if ours != "sat":
        return None, ours
    fault, note = witness_fault(row, answer["witness"])
    return fault, f"{ours} ({note})" if note else ours


def run_quick(plumb):
    failed = 0
    rows = instances()
    quick = {line for line in QUICK_FILE.read_text().splitlines() if line}
    assert quick <= {name_of(row) for row in rows}, quick - {name_of(row) for row in rows}
    for row in rows:
        # Time that is over before it begins: everything is read and checked, nothing is solved.
        read, _ = verify(plumb, row, 1e-6)
        fault = None if read["verdict"] == "unknown" and read["parts"] > 0 else f"not read: {read['reason']}"
        if fault is None and name_of(row) in quick:
            answer, took = verify(plumb, row, QUICK_SECONDS)
            fault, shown = check(row, answer)
            if fault is None and shown == "unknown":
                fault = f"was decided within {QUICK_SECONDS} s before: {answer['reason']}"
        if fault is not None:
            print(f"FAILED: {name_of(row)}: {fault}")
        failed += fault is not None
    print(f"{len(rows)} read, {len(quick)} of them solved; {len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run_all(plumb, seconds, out, jobs):
    done = {}
    if out.exists():
        with open(out, newline="") as file:
            done = {row["instance"]: row for row in csv.DictReader(file)}
    fields = ["instance", "known", "ours", "seconds", "reason", "fault"]

    def one(row):
        if name_of(row) in done:
            return done[name_of(row)]
        answer, took = verify(plumb, row, min(seconds, float(row["timeout_s"])))
        fault, shown = check(row, answer)
        return {"instance": name_of(row), "known": row["verdict"], "ours": shown, "seconds": f"{took:.2f}",
                "reason": answer["reason"].splitlines()[0], "fault": fault or ""}

    wrong = decided = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        for line in pool.map(one, instances()):
            writer.writerow(line)
            file.flush()
            wrong += bool(line["fault"])
            decided += line["ours"].startswith(("sat", "unsat")) and not line["fault"]
            print(f"{line['instance']:60.60} {line['known']:6} {line['ours']:10} {line['seconds']:>7}  "
                  f"{line['fault'] or line['reason']}", flush=True)
    print(f"{decided} decided, {wrong} wrong or refused")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--all", type=float, metavar="SECONDS", help="every instance, for so long each")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("vnncomp.csv"))
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    if not FOLDER.is_dir():
        print(f"skipped: the competition's instances are not at {FOLDER} (set PLUMB_SHARED)")
        return 77
    if arguments.all:
        return run_all(arguments.plumb, arguments.all, arguments.out, arguments.jobs)
    return run_quick(arguments.plumb)


if __name__ == "__main__":
    sys.exit(main())
