#!/usr/bin/env python3
"""Minimum distortions that must be exact although they are difficult: their witnesses tie several labels on an l2
sphere.

    tests/regress/exact_distortions.py --plumb build/release/plumb

The interval must be closed and overlap the known value. Its witness must have the target label in ONNX Runtime at the
reported distance. Exit code 77 if the shared folder is absent.
"""

import functools
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnxruntime

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path[:0] = [str(REPOSITORY / "tests/cli"), str(REPOSITORY / "tests/regress")]

import checks  # noqa: E402
from known import images  # noqa: E402


def measure(plumb, network, sample, target, norm):
    done = subprocess.run([plumb, "distortion", str(SHARED / f"networks/{network}.onnx"), "--data",
                           f"mnist:{SHARED / 'data/mnist'}", "--sample", str(sample), "--target", str(target), "--norm",
                           norm, "--json", "-q"], capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr  # 2: not exact
    return json.loads(done.stdout.splitlines()[0])


def reaches(network, point, target):
    """Up to float32 rounding: at the minimum there is a tie, which another order of summation may break."""
    session = onnxruntime.InferenceSession(str(SHARED / f"networks/{network}.onnx"))
    description = session.get_inputs()[0]
    shape = [d if isinstance(d, int) and d > 0 else 1 for d in description.shape]
    outputs = session.run(None, {description.name: point.astype(np.float32).reshape(shape)})[0].reshape(-1)
    return outputs[target] >= outputs.max() - 1e-6 * np.abs(outputs).max()


def is_exact(plumb, _folder, network, sample, target, norm, known):
    if not SHARED.is_dir():
        raise checks.Skipped(f"the shared networks are not at {SHARED} (set PLUMB_SHARED)")
    found = measure(plumb, network, sample, target, norm)
    assert found["exact"] and found["evidence"] == "rigorous", (found["lower"], found["upper"], found["reason"])
    assert abs(found["lower"] - known) < 2e-6 * known, found["lower"]
    point = np.array(found["witness"])
    away = np.linalg.norm(point - images(sample + 1)[sample].astype(np.float64))
    assert abs(away - found["upper"]) < 1e-9, (away, found["upper"])
    assert reaches(network, point, target)


def case(network, sample, target, norm, known):
    check = functools.partial(is_exact, network=network, sample=sample, target=target, norm=norm, known=known)
    check.__name__ = f"{network}_{sample}_to_{target}_in_{norm}"
    return check


# The known minimum, to seven digits.
CASES = [
    case("mnist_mlp_2x20", 4, 8, "l2", 0.2676022),
    case("mnist_mlp_2x20", 7, 6, "l2", 0.2390310),
    case("mnist_mlp_2x20", 8, 3, "l2", 0.3319882),
]

if __name__ == "__main__":
    sys.exit(checks.main(CASES, str))
