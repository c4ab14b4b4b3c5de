"""What the tests about mnist_wk17a at l-infinity 0.1 share: its images, the published verdicts, and their frame."""

import argparse
import csv
import gzip
import os
import pathlib

import numpy as np

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
NETWORK = SHARED / "networks/mnist_wk17a.onnx"
QUESTION = (str(NETWORK), "--data", f"mnist:{SHARED / 'data/mnist'}", "--eps", "0.1", "--json")


def published_verdicts():
    """Of the first 500 test images, by their numbers."""
    with open(SHARED / "truth/mnist_wk17a_eps0.1_first500.csv", newline="") as file:
        return {int(row["sample"]): row["verdict"] for row in csv.DictReader(file)}


def images(count):
    folder = SHARED / "data/mnist"
    plain, packed = folder / "t10k-images-idx3-ubyte", folder / "t10k-images-idx3-ubyte.gz"
    raw = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    return (np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784)[:count] / 255).astype(np.float32)


def outputs(session, witness):
    """What ONNX Runtime computes for a witness, in float32."""
    description = session.get_inputs()[0]
    shape = [d if isinstance(d, int) and d > 0 else 1 for d in description.shape]
    return session.run(None, {description.name: np.array(witness, np.float32).reshape(shape)})[0].reshape(-1)


def changes_label(values, label):
    return bool((np.delete(values, label) >= values[label]).any())


def main(checks_with):
    """Parses --plumb FILE. checks_with(FILE) returns whether each check holds, by what it says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    checks = checks_with(plumb)
    for check, holds in checks.items():
        print(("passed: " if holds else "FAILED: ") + check)
    failed = sum(not holds for holds in checks.values())
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0
