#!/usr/bin/env python3
"""How well limits are kept: runs every instance of a list with a short time limit and a small memory limit.

    bench/limits.py [--plumb PATH] [--instances FILE.csv] [--timeout S] [--memory GIB] [--only WORD]

Prints for each instance the wall-clock time beyond the limit and the peak memory, worst first. Both include reading the
network. A run that takes twenty times its limit is killed and reported as such.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def measure(plumb, network, prop, timeout, memory):
    """Seconds, peak memory in MiB, and the answer."""
    command = [str(plumb), "verify", str(network), str(prop), "--timeout", str(timeout), "--memory", str(memory), "-q"]
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        running = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        killer = threading.Timer(20 * timeout, running.kill)
        killer.start()
        _, status, usage = os.wait4(running.pid, 0)
        killer.cancel()
        running.returncode = status
        seconds = time.monotonic() - start
        output.seek(0)
        answer = (output.read().splitlines() or ["ended from outside"])[0]
    return seconds, usage.ru_maxrss / 1024, answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", type=pathlib.Path, default=ROOT / "build/release/plumb")
    parser.add_argument("--instances", type=pathlib.Path, default=ROOT.parent / "shared/vnncomp-hard/instances.csv")
    parser.add_argument("--timeout", type=float, default=2)
    parser.add_argument("--memory", type=float, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    rows = []
    with open(options.instances, newline="") as file:
        for row in csv.DictReader(file):
            names = list(row.values())
            if options.only not in names[0]:
                continue
            folder = options.instances.parent
            seconds, mib, answer = measure(options.plumb, folder / names[1], folder / names[2], options.timeout,
                                           options.memory)
            rows.append((seconds, mib, names[0], pathlib.Path(names[1]).name, answer[:60]))
            print(f"{seconds:7.2f} s {mib:8.0f} MiB  {names[0]}  {rows[-1][3]}  {answer[:60]}", file=sys.stderr)
    rows.sort(reverse=True)
    print("  beyond        MiB  category              network")
    for seconds, mib, category, network, answer in rows:
        print(f"{seconds - options.timeout:7.2f} s {mib:8.0f}  {category:20}  {network}: {answer}")


main()
