#!/usr/bin/env python3
"""Times the fast engine (`plumb verify --engine bab`) against the calibration program, alternately, 60 s per sample.

    bench/search.py [--plumb build/release/plumb] [--repetitions 2] [--quick | --only NETWORK ...]

Prints for each network and budget the number of decided samples and the seconds spent on them: Plumb on one thread
(rigorous) beside $PLUMB_SHARED/floor/run (not rigorous), if that program supports the network. The best repetition
counts. mnist_wk17a also runs on two threads, in wall-clock time. --quick leaves out the rows that take minutes. Then,
unless networks are named, runs single queries on one and on two threads: the search is the same, and ends sooner. Exit
code 77 if the shared folder is absent.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
MNIST, CIFAR = f"mnist:{SHARED / 'data/mnist'}", f"cifar10:{SHARED / 'data/cifar10-jpeg'}"
CUTS = ("cr", "4", "cmax", "3", "comp", "1", "merge", "1")

# network, data, epsilon, samples, arguments of the calibration program (None if unsupported), slow
ROWS = [
    ("mnist_wk17a", MNIST, "0.1", 500, (), False),
    ("mnist_wk17a", MNIST, "0.1", 10000, (), True),
    ("mnist_cnn_small_adv", MNIST, "0.1", 30, (), False),
    ("mnist_adv_mlp_b_eps0.1", MNIST, "0.1", 100, (), True),
    ("mnist_rsl18a", MNIST, "0.1", 50, CUTS, True),
    ("mnist_nor_mlp_b", MNIST, "0.05", 50, (), True),
    ("mnist_cnn_a_eps0.2", MNIST, "0.2", 200, None, False),
    ("mnist_cnn_a_eps0.3", MNIST, "0.3", 200, None, False),
    ("mnist_cnn_a_eps0.4", MNIST, "0.4", 200, None, False),
    ("mnist_cnn_b_eps0.1", MNIST, "0.1", 20, None, False),
    ("mnist_cnn_b_eps0.3", MNIST, "0.3", 20, None, False),
    ("cifar_res_eps2", CIFAR, "2/255", 20, None, False),
    ("cifar_res_eps8", CIFAR, "8/255", 20, None, False),
]


# Number of samples by verdict; seconds over the decided ones; wall-clock seconds; peak megabytes.
Run = collections.namedtuple("Run", "verdicts seconds wall megabytes")


def plumb_run(plumb, network, data, eps, samples, threads=1):
    command = ["/usr/bin/env", "python3", "-c",
               "import resource,subprocess,sys; r=subprocess.run(sys.argv[1:]); "
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(r.returncode)",
               plumb, "verify", str(SHARED / f"networks/{network}.onnx"), "--data", data, "--samples", f"0:{samples}",
               "--eps", eps, "--engine", "bab", "--timeout", "60", "--threads", str(threads), "--json", "-q"]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall = time.monotonic() - start
    lines = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    seconds = sum(line["seconds"] for line in lines if line["verdict"] != "unknown")
    return Run(collections.Counter(line["verdict"] for line in lines), seconds, wall,
               int(done.stderr.split()[-1]) / 1024)


# Single queries: one splits units, one halves the region.
ACAS = SHARED / "vnncomp/acasxu_2023"
QUERIES = [
    ("mnist_nor_mlp_b 0.05, sample 13", [SHARED / "networks/mnist_nor_mlp_b.onnx", "--data", MNIST, "--sample", "13",
                                         "--eps", "0.05"]),
    ("mnist_adv_mlp_b_eps0.1 0.1, sample 40", [SHARED / "networks/mnist_adv_mlp_b_eps0.1.onnx", "--data", MNIST,
                                               "--sample", "40", "--eps", "0.1"]),
    ("ACAS Xu 4_2, property 2", [ACAS / "onnx/ACASXU_run2a_4_2_batch_2000.onnx.gz", ACAS / "vnnlib/prop_2.vnnlib.gz"]),
]


def query_run(plumb, question, threads):
    """(verdict, number of subproblems), seconds."""
    command = [plumb, "verify", *question, "--timeout", "60", "--threads", str(threads), "--json", "-q"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    line = json.loads(done.stdout.splitlines()[0])
    return (line["verdict"], line["statistics"]["nodes"]), line["seconds"]


def compare_threads(plumb, repetitions):
    for name, question in QUERIES:
        runs = {threads: [query_run(plumb, question, threads) for _ in range(repetitions)] for threads in (1, 2)}
        (verdict, nodes), = {found for some in runs.values() for found, _ in some}  # all runs make the same search
        one, two = (min(seconds for _, seconds in runs[threads]) for threads in (1, 2))
        print(f"{name}: {verdict}, {nodes:,} nodes, one thread {one:.2f} s, two {two:.2f} s, {one / two:.2f} times as "
              "fast", flush=True)


def floor_run(network, eps, samples, arguments):
    text = subprocess.run([str(SHARED / "floor/run"), network, "eps", eps, "n", str(samples), "v", "2", *arguments],
                          capture_output=True, text=True, check=True, env=dict(os.environ, PYTHON=sys.executable)).stdout
    seconds = {int(m[1]): (m[2], float(m[3]) / 1e3) for m in
               re.finditer(r"^(\d+) (robust|vuln|unknown) .*ms=([0-9.]+)$", text, re.M)}
    decided = [s for verdict, s in seconds.values() if verdict != "unknown"]
    return len(decided), sum(decided)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", default=str(REPOSITORY / "build/release/plumb"))
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="NETWORK", choices=[row[0] for row in ROWS])
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    for network, data, eps, samples, floor_arguments, slow in ROWS:
        if (slow and arguments.quick) or (arguments.only and network not in arguments.only):
            continue
        repetitions = 1 if slow else arguments.repetitions
        ours = [plumb_run(arguments.plumb, network, data, eps, samples) for _ in range(repetitions)]
        best = min(ours, key=lambda run: run.seconds)
        open_ones = best.verdicts["unknown"]
        text = (f"{network:24} {eps:>6} first {samples:5}: decided {samples - open_ones:5}, {best.seconds:8.3f} s, "
                f"{best.megabytes:4.0f} MB")
        if floor_arguments is not None:
            theirs = min((floor_run(network, eps, samples, floor_arguments) for _ in range(repetitions)),
                         key=lambda run: run[1])
            text += f"   calibration program: {theirs[0]:5}, {theirs[1]:8.3f} s   {best.seconds / theirs[1]:.2f}x"
        print(text, flush=True)
        if network == "mnist_wk17a":
            two = min((plumb_run(arguments.plumb, network, data, eps, samples, 2) for _ in range(repetitions)),
                      key=lambda run: run.wall)
            print(f"  {two.verdicts['violated']} violated, {two.verdicts['unknown']} open; on two threads "
                  f"{two.wall:.3f} s by the clock, {two.wall / theirs[1]:.2f}x", flush=True)
    if arguments.only:
        return 0
    one, two = (min(plumb_run(arguments.plumb, "mnist_wk17a", MNIST, "0.1", 2000, threads).wall
                    for _ in range(arguments.repetitions)) for threads in (1, 2))
    print(f"mnist_wk17a, first 2,000: two threads {one / two:.2f} times as fast as one")
    compare_threads(arguments.plumb, arguments.repetitions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
