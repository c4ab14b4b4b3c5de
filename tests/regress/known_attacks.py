#!/usr/bin/env python3
"""What a gradient attack finds on a real network with known verdicts.

    tests/regress/known_attacks.py --plumb build/release/plumb

mnist_wk17a at l-infinity 0.1, first 100 test images. Every sample with a witness must be `vulnerable` in the published
exact verdicts. Every witness must lie within the ball and the pixel range as float32 numbers, and ONNX Runtime must
give it another label (in float32, with its own order of summation). The attack finds all three vulnerable samples.
Sample 8 takes several restarts, and may be missed if float32 rounds differently. Exit code 77 if the shared folder is
absent.
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnxruntime

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
SAMPLES = 100


def attack(plumb, network, *arguments):
    done = subprocess.run([plumb, "attack", str(network), "--data", f"mnist:{SHARED / 'data/mnist'}", "--eps", "0.1",
                           "--samples", f"0:{SAMPLES}", "--json", *arguments], capture_output=True, text=True,
                          check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[:-1], lines[-1]["summary"]


def images():
    folder = SHARED / "data/mnist"
    plain, packed = folder / "t10k-images-idx3-ubyte", folder / "t10k-images-idx3-ubyte.gz"
    raw = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    return (np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784)[:SAMPLES] / 255).astype(np.float32)


def predicted(session, witness):
    description = session.get_inputs()[0]
    shape = [d if isinstance(d, int) and d > 0 else 1 for d in description.shape]
    return session.run(None, {description.name: np.array(witness, np.float32).reshape(shape)})[0].reshape(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    network = SHARED / "networks/mnist_wk17a.onnx"
    samples, summary = attack(plumb, network)
    with open(SHARED / "truth/mnist_wk17a_eps0.1_first500.csv", newline="") as file:
        verdicts = {int(row["sample"]): row["verdict"] for row in csv.DictReader(file)}
    vulnerable = {k for k in range(SAMPLES) if verdicts[k] == "vulnerable"}
    found = {s["sample"]: s for s in samples if s["verdict"] == "violated"}
    session, originals = onnxruntime.InferenceSession(str(network)), images()
    outputs = {k: predicted(session, s["witness"]) for k, s in found.items()}
    points = {k: np.array(s["witness"]) for k, s in found.items()}
    checks = {
        f"every sample found is vulnerable: {sorted(found)} of {sorted(vulnerable)}": set(found) <= vulnerable,
        "all vulnerable samples are found, but perhaps 8": vulnerable - set(found) <= {8},
        "the summary counts them": summary["vulnerable"] == len(found) and summary["unknown"] == SAMPLES - len(found)
            and summary["error_lower"] == len(found) / SAMPLES and summary["robust"] == 0,
        "witnesses lie in the ball": all(np.abs(points[k] - originals[k].astype(np.float64)).max() <= 0.1 for k in found),
        "witnesses are images": all(points[k].min() >= 0 and points[k].max() <= 1 for k in found),
        "witnesses are float32": all((points[k] == points[k].astype(np.float32)).all() for k in found),
        "ONNX Runtime agrees": all((np.delete(y, found[k]["label"]) >= y[found[k]["label"]]).any()
                                   for k, y in outputs.items()),
        "misclassified ones are at distance 0": all((s["distance"] == 0) == (s["reason"] == "misclassified")
                                                    for s in found.values()),
    }
    for check, holds in checks.items():
        print(("passed: " if holds else "FAILED: ") + check)
    failed = sum(not holds for holds in checks.values())
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
