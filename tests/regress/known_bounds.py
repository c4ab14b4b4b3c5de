#!/usr/bin/env python3
"""Known facts about bounds on real networks.

    tests/regress/known_bounds.py --plumb build/release/plumb

mnist_wk17a at l-infinity 0.1: intervals, then linear bounds, leave 127.1 undecided units per sample on the first 500
test images (an independent program that is not rigorous counts the same; the paper's LP bounds leave 121.18 over all
samples). Eliminated labels must agree with the published exact verdicts: no sample whose verdict is `vulnerable` may
have all labels eliminated. Exit code 77 if the shared folder is absent.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))


def bounds(plumb, *arguments):
    done = subprocess.run([plumb, "bounds", str(SHARED / "networks/mnist_wk17a.onnx"), "--data",
                           f"mnist:{SHARED / 'data/mnist'}", "--eps", "0.1", "--json", *arguments],
                          capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[:-1], lines[-1]["summary"]


def unstable(summary):
    return sum(layer["unstable"] for layer in summary["layers"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    samples, linear = bounds(plumb, "--samples", "0:500")
    _, interval = bounds(plumb, "--samples", "0:500", "--method", "interval")
    with open(SHARED / "truth/mnist_wk17a_eps0.1_first500.csv", newline="") as file:
        verdicts = {int(row["sample"]): row["verdict"] for row in csv.DictReader(file)}
    proven = {s["sample"] for s in samples if s["labels_eliminated"] == 9}
    checks = {
        f"linear leaves 127.1 undecided units, here {unstable(linear):.2f}": abs(unstable(linear) - 127.1) < 0.3,
        f"interval leaves more, here {unstable(interval):.2f}": unstable(interval) > 800,
        f"no proven sample is vulnerable, of {len(proven)}": all(verdicts[k] == "robust" for k in proven),
        f"linear bounds prove 471 samples, here {len(proven)}": abs(len(proven) - 471) <= 1,
    }
    for check, holds in checks.items():
        print(("passed: " if holds else "FAILED: ") + check)
    failed = sum(not holds for holds in checks.values())
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
