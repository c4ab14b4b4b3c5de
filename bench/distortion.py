#!/usr/bin/env python3
"""Minimum targeted distortion of mnist_mlp_2x20 and mnist_mlp_3x20 in each norm, beside what bounds alone prove.

    bench/distortion.py [--plumb build/release/plumb] [--samples 10] [--limit 60] [--networks ...] [--norms ...]

Each sample has one random target label, the same in every run. Prints for each sample the interval of the exact answer
(lower = upper if it is exact), its seconds, and the largest radii that intervals, linear bounds, optimised slopes and
linear programs prove, as fractions of the upper end of the exact answer (figures 1 and 2 of Tjeng et al.). Exit code 77
if the shared folder is absent, 1 if a bound lies above a witness.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "experiments"))

from reproduction.items import distortion  # noqa: E402


def measure(arguments, network, sample, target, norm, method):
    options = distortion.options_of(method, sample, target, norm, arguments.limit)
    done = subprocess.run([arguments.plumb, "distortion", str(SHARED / f"networks/{network}.onnx"), "--data",
                           f"mnist:{SHARED / 'data/mnist'}", "--json", "-q", *map(str, options)],
                          capture_output=True, text=True)
    if done.returncode not in (0, 2):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def label_of(arguments, network, sample):
    done = subprocess.run([arguments.plumb, "eval", str(SHARED / f"networks/{network}.onnx"), "--data",
                           f"mnist:{SHARED / 'data/mnist'}", "--sample", str(sample), "--json", "-q"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["label"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", default=str(REPOSITORY / "build/release/plumb"))
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--networks", nargs="+", default=["mnist_mlp_2x20", "mnist_mlp_3x20"])
    parser.add_argument("--norms", nargs="+", default=["linf", "l1", "l2"])
    parser.add_argument("--bounds", nargs="+", default=list(distortion.BOUNDS))
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: {SHARED} is not there")
        return 77
    wrong = 0
    for network in arguments.networks:
        for norm in arguments.norms:
            targets = distortion.targets_of([label_of(arguments, network, k) for k in range(arguments.samples)])
            seconds, exact, shares = [], 0, {name: [] for name in arguments.bounds}
            for sample, target in enumerate(targets):
                result = measure(arguments, network, sample, target, norm, "exact")
                seconds.append(result["seconds"])
                exact += result["exact"]
                text = f"{result['lower']:.8g} .. {result['upper'] or float('nan'):.8g}"
                line = f"{network} {norm:4} sample {sample} to {target}: {text:28} {result['evidence']:8} "
                line += f"{'exact' if result['exact'] else 'open':5} {result['seconds']:7.2f} s "
                for name in arguments.bounds:
                    bound = measure(arguments, network, sample, target, norm, name)["lower"]
                    if result["upper"]:
                        wrong += bound > result["upper"]
                        shares[name].append(bound / result["upper"])
                        line += f" {name} {bound / result['upper']:.3f}"
                print(line, flush=True)
            means = ", ".join(f"{name} {statistics.mean(values):.3f}" for name, values in shares.items() if values)
            print(f"{network} {norm}: {exact} of {arguments.samples} exact, median {statistics.median(seconds):.2f} s, "
                  f"total {sum(seconds):.1f} s; mean share proven by {means}\n", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
