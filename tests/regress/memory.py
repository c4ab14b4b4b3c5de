#!/usr/bin/env python3
"""A hard query within 300 MB: the tree outgrows them, the search goes on depth first, and no more is taken.

    memory.py --plumb PATH

The same query without the budget takes several times as much in the same time, so that the budget is what holds it.
The shared folder is $PLUMB_SHARED, or ../shared beside the repository; exit code 77 where it is absent, 1 on failure.
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
# The network, its bounds, and what the allocator keeps come on top of what is counted.
ALLOWANCE = 150e6


def run(plumb, *options):
    """Verdict, nodes and peak memory in bytes."""
    folder = SHARED / "vnncomp/eran"
    command = [plumb, "verify", folder / "onnx/mnist_relu_9_200.onnx.gz",
               folder / "vnnlib/mnist_spec_idx_4424_eps_0.01500.vnnlib.gz", "--timeout", SECONDS, "--json", *options]
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True) as process:
        line = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 2), (process.returncode, line)
    assert line["verdict"] in ("holds", "unknown"), line  # it is known to hold
    return line["verdict"], line["statistics"]["nodes"], 1024 * usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, type=lambda text: str(pathlib.Path(text).resolve(strict=True)))
    plumb = parser.parse_args().plumb
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return NO_SHARED_FOLDER
    free = run(plumb)
    held = run(plumb, "--memory", BUDGET / 2**30)
    for name, (verdict, nodes, peak) in (("4 GiB", free), ("300 MB", held)):
        print(f"budget {name}: {verdict}, {nodes} nodes, peak {peak / 1e6:.0f} MB in {SECONDS} s")
    if held[2] > BUDGET + ALLOWANCE:
        print("FAILED: more memory than the budget allows")
        return 1
    if held[1] == 0 or free[2] < 1.2 * held[2]:
        print("FAILED: the query is not hard enough to say anything about the budget")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
