#!/usr/bin/env python3
"""The cost of rigour: the same program with and without the terms that bound rounding errors, alternately, one thread.

    bench/rigour.py [--repetitions 5]

Builds the second program into build/without-error-terms (it prints on standard error that it proves nothing). The best
repetition of each counts. Exit code 77 if the shared folder is absent.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))


def seconds(plumb, network, data, samples, eps, method):
    command = [str(plumb), "bounds", str(SHARED / f"networks/{network}.onnx"), "--data", data, "--samples", samples,
               "--eps", eps, "--threads", "1", "--method", method, "--json"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(text.splitlines()[-1])["summary"]["seconds"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    plain_build = REPOSITORY / "build/without-error-terms"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": REPOSITORY}
    subprocess.run(["cmake", "--preset", "release", "-B", plain_build, "-DPLUMB_ERROR_TERMS=OFF"], **quiet)
    subprocess.run(["cmake", "--build", plain_build, "--target", "plumb"], **quiet)
    mnist, cifar = f"mnist:{SHARED / 'data/mnist'}", f"cifar10:{SHARED / 'data/cifar10-jpeg'}"
    for network, data, samples, eps, method in (("mnist_wk17a", mnist, "0:300", "0.1", "linear"),
                                                ("mnist_wk17a", mnist, "0:100", "0.1", "alpha"),
                                                ("mnist_rsl18a", mnist, "0:50", "0.1", "linear"),
                                                ("cifar_res_eps2", cifar, "0:5", "2/255", "linear")):
        best = [float("inf"), float("inf")]
        for _ in range(arguments.repetitions):
            for k, plumb in enumerate((REPOSITORY / "build/release/plumb", plain_build / "plumb")):
                best[k] = min(best[k], seconds(plumb, network, data, samples, eps, method))
        print(f"{network} {samples} {method:6}: with error terms {1e3 * best[0]:8.3f} ms a sample, "
              f"without {1e3 * best[1]:8.3f} ms, cost {100 * (best[0] / best[1] - 1):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
