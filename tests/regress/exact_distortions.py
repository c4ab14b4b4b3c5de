#!/usr/bin/env python3
"""Minimum distortions that were open once, and must be exact: their witnesses tie several labels, on an l2 sphere.

    tests/regress/exact_distortions.py --plumb build/release/plumb

The interval must be closed, overlap what was measured, and its witness reach the target label in ONNX Runtime at the
distance told. Exit code 77 where the shared folder is absent.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnxruntime

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "tests/regress"))

from known_verdicts import images  # noqa: E402

# network, sample, target, norm, the minimum to seven digits
CASES = [
    ("mnist_mlp_2x20", 4, 8, "l2", 0.2676022),
    ("mnist_mlp_2x20", 7, 6, "l2", 0.2390310),
    ("mnist_mlp_2x20", 8, 3, "l2", 0.3319882),
]


def measure(plumb, network, sample, target, norm):
    done = subprocess.run([plumb, "distortion", str(SHARED / f"networks/{network}.onnx"), "--data",
                           f"mnist:{SHARED / 'data/mnist'}", "--sample", str(sample), "--target", str(target), "--norm",
                           norm, "--json", "-q"], capture_output=True, text=True)
    if done.returncode not in (0, 2):  # 2: open
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[0])


def reaches(network, point, target):
    """Within float32's rounding: at the minimum there is a tie, which another order of summation may break."""
    session = onnxruntime.InferenceSession(str(SHARED / f"networks/{network}.onnx"))
    description = session.get_inputs()[0]
    shape = [d if isinstance(d, int) and d > 0 else 1 for d in description.shape]
    outputs = session.run(None, {description.name: point.astype(np.float32).reshape(shape)})[0].reshape(-1)
    return outputs[target] >= outputs.max() - 1e-6 * np.abs(outputs).max()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    originals, failed = images(10).astype(np.float64), 0
    for network, sample, target, norm, known in CASES:
        found = measure(plumb, network, sample, target, norm)
        point = np.array(found["witness"])
        away = np.linalg.norm(point - originals[sample])
        good = (found["exact"] and found["evidence"] == "rigorous" and abs(found["lower"] - known) < 2e-6 * known
                and abs(away - found["upper"]) < 1e-9 and reaches(network, point, target))
        print(f"{'ok' if good else 'WRONG'}: {network} sample {sample} to {target} in {norm}: "
              f"{found['lower']} to {found['upper']}, {found['reason']}")
        failed += not good
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
