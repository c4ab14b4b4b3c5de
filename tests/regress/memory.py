#!/usr/bin/env python3
"""Hard queries with a memory limit of 300 MB: the trees outgrow it, the search continues depth first, and memory stays
within the limit, for a single query and for several samples at the same time.

    memory.py --plumb PATH

Without the limit the same queries take several times as much memory in the same time, which shows that the limit has an
effect. The shared folder is $PLUMB_SHARED, or ../shared beside the repository. Exit code 77 if it is absent, 1 on
failure.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
NO_SHARED_FOLDER = 77

SECONDS = 20
BUDGET = 300e6
# Not counted by the limit: the network, memory that the allocator keeps, and the bounds of each sample in progress.
ALLOWANCE, ALLOWANCE_PER_SAMPLE = 50e6, 20e6


def run(plumb, *arguments):
    """Verdicts, subproblems and peak memory in bytes. The queries are known to hold, or are open."""
    command = [plumb, "verify", *arguments, "--timeout", SECONDS, "--json"]
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True) as process:
        lines = [json.loads(line) for line in process.stdout]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    answers = [line for line in lines if "verdict" in line]
    assert process.returncode in (0, 2), (process.returncode, lines)
    assert answers and all(line["verdict"] in ("holds", "unknown") for line in answers), answers
    return ([line["verdict"] for line in answers], sum(line["statistics"]["nodes"] for line in answers),
            1024 * usage.ru_maxrss)


def compare(plumb, what, *question):
    """The failures of one query, without the limit and within it."""
    free = run(plumb, *question)
    held = run(plumb, *question, "--memory", BUDGET / 2**30)
    for name, (verdicts, nodes, peak) in (("4 GiB", free), ("300 MB", held)):
        print(f"{what}, budget {name}: {' '.join(verdicts)}, {nodes} subproblems, peak {peak / 1e6:.0f} MB in {SECONDS} s")
    failures = []
    if held[2] > BUDGET + ALLOWANCE + len(held[0]) * ALLOWANCE_PER_SAMPLE:
        failures.append(f"{what}: more memory than the budget allows")
    if held[1] == 0 or free[2] < 1.2 * held[2]:
        failures.append(f"{what}: not hard enough to say anything about the budget")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, type=lambda text: str(pathlib.Path(text).resolve(strict=True)))
    plumb = parser.parse_args().plumb
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return NO_SHARED_FOLDER
    wide = SHARED / "vnncomp-hard/mnist_fc/onnx/mnist-net_256x4.onnx.gz"
    data = f"mnist:{SHARED / 'data/mnist'}"
    failures = compare(plumb, "one sample without cuts", SHARED / "networks/mnist_nor_mlp_b.onnx", "--data", data,
                       "--sample", 19, "--eps", 0.05, "--no-cuts")
    failures += compare(plumb, "four samples at once", wide, "--data", data, "--samples", "9:13", "--eps", 0.05,
                        "--threads", 4)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
