#!/usr/bin/env python3
"""Times `plumb bounds`: against the calibration program on mnist_wk17a, and on the large networks, on one thread.

    bench/bounds.py [--plumb build/release/plumb] [--repetitions 3]

mnist_wk17a at 0.1, first 500 samples: Plumb's seconds for bounds, reduced network and margins, all rigorous, beside the
calibration program's `ibp` plus `crown(all)` ($PLUMB_SHARED/floor/run, which also collapses stable layers). The two
programs run alternately, and the best repetition of each counts. Then prints seconds per sample and peak memory on
cifar_res_eps2, cifar_res_eps8 and mnist_cnn_b_eps0.1, and compares two threads with one. Exit code 77 if the shared
folder is absent.
"""

import argparse
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


def plumb_bounds(plumb, network, data, samples, eps, threads=1):
    """Seconds per sample by the program's own clock, wall-clock seconds, and peak megabytes."""
    command = ["/usr/bin/env", "python3", "-c",
               "import resource,subprocess,sys; r=subprocess.run(sys.argv[1:]); "
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(r.returncode)",
               plumb, "bounds", str(SHARED / f"networks/{network}.onnx"), "--data", data, "--samples", samples,
               "--eps", eps, "--threads", str(threads), "--json"]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall = time.monotonic() - start
    summary = json.loads(done.stdout.splitlines()[-1])["summary"]
    return summary["seconds"], wall, int(done.stderr.split()[-1]) / 1024


def floor_seconds(samples):
    environment = dict(os.environ, PYTHON=sys.executable)
    text = subprocess.run([str(SHARED / "floor/run"), "mnist_wk17a", "eps", "0.1", "n", str(samples)],
                          capture_output=True, text=True, check=True, env=environment).stdout
    times = text.split(" time s:")[1]  # earlier in the text the same names count samples
    return sum(float(re.search(rf"{name} ([0-9.]+)", times)[1]) for name in ("ibp", r"crown\(all\)"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", default=str(REPOSITORY / "build/release/plumb"))
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    plumb = arguments.plumb
    ours, floors = [], []
    for _ in range(arguments.repetitions):
        ours.append(500 * plumb_bounds(plumb, "mnist_wk17a", MNIST, "0:500", "0.1")[0])
        floors.append(floor_seconds(500))
    print("mnist_wk17a, eps 0.1, first 500, one thread")
    print(f"  calibration program, ibp + crown(all)         {min(floors):7.3f} s")
    print(f"  plumb bounds, reduction and margins, rigorous {min(ours):7.3f} s   {min(ours) / min(floors):.2f}x")
    for network, data, samples, eps, aim in (("cifar_res_eps2", CIFAR, "0:10", "2/255", 2.0),
                                             ("cifar_res_eps8", CIFAR, "0:10", "8/255", 6.0),
                                             ("mnist_cnn_b_eps0.1", MNIST, "0:20", "0.1", 0.5)):
        seconds, _, megabytes = plumb_bounds(plumb, network, data, samples, eps)
        print(f"{network}, eps {eps}, samples {samples}: {seconds:.3f} s a sample (aim {aim}), {megabytes:.0f} MB")
    one, two = (min(plumb_bounds(plumb, "mnist_wk17a", MNIST, "0:2000", "0.1", threads)[1]
                    for _ in range(arguments.repetitions)) for threads in (1, 2))
    print(f"mnist_wk17a, first 2,000: two threads {one / two:.2f} times as fast as one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
