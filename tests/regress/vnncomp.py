#!/usr/bin/env python3
"""Instances of the competition with known verdicts.

    tests/regress/vnncomp.py --plumb build/release/plumb

Every property must be read and fit its network. The quick instances are solved, through vnncomp/run_instance.sh. No
verdict may contradict the known one, and listed instances must be decided. Every counterexample must satisfy the
property with the outputs that ONNX Runtime computes, by an evaluation of the property that is independent of Plumb's.
The code that runs, judges and checks is that of scripts/vnncomp, which runs whole lists. Exit code 77 if the shared
folder is absent.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "vnncomp/runner"))

from instances import read_instances  # noqa: E402
from one_run import run  # noqa: E402

SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
LIST = SHARED / "vnncomp/instances.csv"
# Instances that take up to about two seconds. They get more time here, for busy machines.
QUICK_FILE = pathlib.Path(__file__).with_name("vnncomp_quick.txt")
QUICK_SECONDS = 30


def reading_fault(plumb, instance):
    """The time limit is over before it begins: everything is read and checked, and nothing is solved."""
    (_, network), = instance.pairs()
    command = [plumb, "verify", network, instance.property_file, "--json", "-q", "--timeout", "1e-6"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 2:
        return f"not read: exit code {done.returncode}: {done.stderr.strip()}"
    answer = json.loads(done.stdout)
    return None if answer["verdict"] == "unknown" and answer["parts"] > 0 else f"not read: {answer['reason']}"


def solving_fault(plumb, instance, folder):
    result = run(instance, QUICK_SECONDS, plumb, "auto", folder / "results.txt")
    if result.outcome == "unknown":
        return f"was decided within {QUICK_SECONDS} s before: {result.reason}"
    return None if result.outcome == "solved" else f"{result.answer}: {result.remark or result.reason}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True, type=pathlib.Path)
    plumb = parser.parse_args().plumb.resolve()
    if not LIST.is_file():
        print(f"skipped: the competition's instances are not at {LIST} (set PLUMB_SHARED)")
        return 77
    instances, _ = read_instances(LIST)
    quick = {line for line in QUICK_FILE.read_text().splitlines() if line}
    unlisted = quick - {instance.name for instance in instances}
    assert not unlisted, unlisted
    failed = solved = 0
    with tempfile.TemporaryDirectory() as folder:
        for instance in instances:
            fault = reading_fault(plumb, instance)
            if fault is None and instance.name in quick:
                fault = solving_fault(plumb, instance, pathlib.Path(folder))
                solved += fault is None
            if fault is not None:
                print(f"FAILED: {instance.name}: {fault}", flush=True)
            failed += fault is not None
    print(f"{len(instances)} read, {solved} of {len(quick)} solved; {len(instances) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
