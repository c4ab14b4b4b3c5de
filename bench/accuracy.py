#!/usr/bin/env python3
"""What the store and the progress of plumb accuracy cost: the same samples by plumb verify, which keeps nothing, in turns.

    bench/accuracy.py [--repetitions 5] [--samples 0:1000]

Compares the processor time of both whole commands (a store's waits for the disk take none) and the time on the clock,
all cores; the best of each counts. Exit code 77 where the shared folder is absent.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))


def measured(command):
    """Processor seconds and seconds on the clock."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, end - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--samples", default="0:1000")
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    question = [str(SHARED / "networks/mnist_wk17a.onnx"), "--data", f"mnist:{SHARED / 'data/mnist'}", "--samples",
                arguments.samples, "--eps", "0.1", "--json"]
    plumb = str(REPOSITORY / "build/release/plumb")
    best = {"verify": [float("inf")] * 2, "accuracy": [float("inf")] * 2}
    for _ in range(arguments.repetitions):
        for name in best:
            with tempfile.TemporaryDirectory(dir=REPOSITORY / "build") as folder:  # a disk, not memory
                store = ["--out", f"{folder}/run.db"] if name == "accuracy" else []
                best[name] = [min(pair) for pair in zip(best[name], measured([plumb, name, *question, *store]))]
    for k, what in enumerate(("processor", "clock")):
        ratio = best["accuracy"][k] / best["verify"][k]
        print(f"mnist_wk17a {arguments.samples}, {what}: verify {best['verify'][k]:.2f} s, accuracy "
              f"{best['accuracy'][k]:.2f} s, cost {100 * (ratio - 1):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
