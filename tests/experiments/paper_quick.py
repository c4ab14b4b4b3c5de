#!/usr/bin/env python3
"""experiments/paper --quick with every item, as a user runs it: all rows present, bounds in order, published verdicts.

    tests/experiments/paper_quick.py --plumb build/release/plumb

Takes as long as `make paper`. Exit code 77 if the shared folder is absent.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "experiments"))

from reproduction import check  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True)
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([REPOSITORY / "experiments/paper", "--quick", "--plumb", arguments.plumb, "-o", out])
        if done.returncode != 0:
            return done.returncode
        wrong = list(check.complaints(out, check.read_truth(SHARED / "truth/mnist_wk17a_eps0.1_first500.csv")))
    print("\n".join(wrong) or "all items are complete, and nothing contradicts itself or what is published")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
