#!/usr/bin/env python3
"""Compares two builds of Plumb, alternately, on one thread: same answers, same subproblems, same work, and their times.

    bench/versions.py --before PATH [--plumb build/release/plumb] [--repetitions 5] [--only NAME ...]

Each question has a limit of work, so that both programs do the same however busy the machine is. User time counts, the
best repetition of each. Prints the ratio of every question, and the geometric mean of those of the search and of those
of bounds. Exit code 1 if an answer, a number of subproblems or a count of work differs; 77 if the shared folder is
absent.
"""

import argparse
import json
import math
import os
import pathlib
import resource
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
MNIST, CIFAR = f"mnist:{SHARED / 'data/mnist'}", f"cifar10:{SHARED / 'data/cifar10-jpeg'}"
WORK = str(60_000_000_000)  # per sample

# name: command, network, data, epsilon, samples
QUESTIONS = {
    "wk17a": ("verify", "mnist_wk17a", MNIST, "0.1", "0:300"),
    "rsl18a": ("verify", "mnist_rsl18a", MNIST, "0.1", "0:7"),
    "adv_mlp_b": ("verify", "mnist_adv_mlp_b_eps0.1", MNIST, "0.1", "0:20"),
    "cnn_a": ("verify", "mnist_cnn_a_eps0.3", MNIST, "0.3", "0:40"),
    "cnn_b": ("verify", "mnist_cnn_b_eps0.1", MNIST, "0.1", "0:10"),
    "bounds of wk17a": ("bounds", "mnist_wk17a", MNIST, "0.1", "0:300"),
    "bounds of cnn_b": ("bounds", "mnist_cnn_b_eps0.1", MNIST, "0.1", "0:10"),
    "bounds of cifar_res": ("bounds", "cifar_res_eps2", CIFAR, "2/255", "0:1"),
}
# What differs between runs, or between versions without changing an answer.
IGNORED = {"seconds", "build_seconds", "solve_seconds", "stage_seconds", "question"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in IGNORED}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def run(plumb, question):
    """User seconds, and what was printed without its times."""
    command, network, data, epsilon, samples = question
    arguments = [plumb, command, SHARED / f"networks/{network}.onnx", "--data", data, "--eps", epsilon, "--samples",
                 samples, "--threads", "1", "--json", "-q"]
    if command == "verify":
        arguments += ["--work-limit", WORK]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, check=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return seconds, [without_times(json.loads(line)) for line in done.stdout.splitlines()]


def compared(name, programs, repetitions):
    """The best times of both programs, and whether they said the same."""
    best, said = [math.inf, math.inf], [None, None]
    for _ in range(repetitions):
        for i, program in enumerate(programs):
            seconds, said[i] = run(program, QUESTIONS[name])
            best[i] = min(best[i], seconds)
    same = said[0] == said[1]
    print(f"{name:22} {best[0]:9.3f} {best[1]:9.3f} {best[1] / best[0]:7.3f}  {'same' if same else 'DIFFERENT'}", flush=True)
    return best[1] / best[0], same


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, type=lambda text: pathlib.Path(text).resolve(strict=True))
    parser.add_argument("--plumb", default=REPOSITORY / "build/release/plumb",
                        type=lambda text: pathlib.Path(text).resolve(strict=True))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(QUESTIONS), default=list(QUESTIONS))
    options = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    print(f"{'user seconds':22} {'before':>9} {'now':>9} {'ratio':>7}")
    results = {name: compared(name, (options.before, options.plumb), options.repetitions) for name in options.only}
    for kind in ("verify", "bounds"):
        ratios = [ratio for name, (ratio, _) in results.items() if QUESTIONS[name][0] == kind]
        if ratios:
            print(f"{kind}: geometric mean {mean(ratios):.3f}")
    return 0 if all(same for _, same in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
