#!/usr/bin/env python3
"""The cost of the store and of the progress display of plumb accuracy, compared with plumb verify on the same samples.

    bench/accuracy.py [--repetitions 5] [--samples 0:1000]

plumb verify keeps no results. The two commands run alternately. Compares the processor time of the whole commands
(waiting for the disk takes none) and the wall-clock time, on all cores. The best repetition of each counts. Exit code
77 if the shared folder is absent.
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
    """Processor seconds and wall-clock seconds."""
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
            with tempfile.TemporaryDirectory(dir=REPOSITORY / "build") as folder:  # on a disk, not in memory
                store = ["--out", f"{folder}/run.db"] if name == "accuracy" else []
                best[name] = [min(pair) for pair in zip(best[name], measured([plumb, name, *question, *store]))]
    for k, what in enumerate(("processor", "clock")):
        ratio = best["accuracy"][k] / best["verify"][k]
        print(f"mnist_wk17a {arguments.samples}, {what}: verify {best['verify'][k]:.2f} s, accuracy "
              f"{best['accuracy'][k]:.2f} s, cost {100 * (ratio - 1):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
