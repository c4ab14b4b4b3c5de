"""The example that comes with the project, and the program that is asked about it."""

import gzip
import json
import pathlib
import subprocess

import numpy as np

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
NETWORK = str(REPOSITORY / "examples/digits/digits.onnx")
DATA = f"mnist:{REPOSITORY / 'examples/digits'}"


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=120)

    def json(self, *arguments):
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def write_property(path, label, radius, packed=False):
    """Can an image around sample 7 be anything but `label`? As VNN-LIB 1.0."""
    pixels = np.frombuffer(gzip.decompress((REPOSITORY / "examples/digits/t10k-images-idx3-ubyte.gz").read_bytes()),
                           np.uint8, offset=16).reshape(-1, 256)[7]
    values = (pixels / 255).astype(np.float32).astype(np.float64)
    text = "".join(f"(declare-const X_{i} Real)\n" for i in range(256))
    text += "".join(f"(declare-const Y_{i} Real)\n" for i in range(10))
    for i, value in enumerate(values.tolist()):
        text += f"(assert (and (>= X_{i} {max(value - radius, 0)!r}) (<= X_{i} {min(value + radius, 1)!r})))\n"
    text += "(assert (or " + " ".join(f"(>= Y_{k} Y_{label})" for k in range(10) if k != label) + "))\n"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    return values
