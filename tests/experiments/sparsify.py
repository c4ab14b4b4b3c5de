#!/usr/bin/env python3
"""experiments/sparsify.py on the example network: what becomes zero, what is kept, and what is refused.

    tests/experiments/sparsify.py --plumb build/release/plumb

Closing line: `N passed, N failed`.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "cli"))

from checks import main

NETWORK = REPOSITORY / "examples/digits/digits.onnx"
FRACTIONS = (0.25, 0.0, 0.8, 0.5)


def sparsify(*arguments):
    return subprocess.run([sys.executable, REPOSITORY / "experiments/sparsify.py", *map(str, arguments)],
                          capture_output=True, text=True)


def tensors(path):
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}


def weights(path):
    """In the order of the layers, which the names of the example show."""
    return {name: value for name, value in tensors(path).items() if value.ndim > 1}


def made(folder):
    out = folder / "sparse.onnx"
    done = sparsify(NETWORK, "--zero", ",".join(map(str, FRACTIONS)), "-o", out)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 4, done
    return out


def the_smallest_weights_of_each_layer_are_zero(_, folder):
    before, after = weights(NETWORK), weights(made(folder))
    for fraction, (name, old) in zip(FRACTIONS, before.items()):
        new = after[name]
        count = int(fraction * old.size)
        assert np.count_nonzero(new == 0) == count + np.count_nonzero(np.sort(np.abs(old).ravel())[count:] == 0), name
        if count:
            assert np.abs(old[new == 0]).max() <= np.abs(old[new != 0]).min(), name
        assert (np.sign(new)[new != 0] == np.sign(old)[new != 0]).all(), name


def the_sum_of_magnitudes_stays(_, folder):
    before, after = weights(NETWORK), weights(made(folder))
    for name, old in before.items():
        was, is_now = (np.abs(w.astype(np.float64)).sum() for w in (old, after[name]))
        assert abs(is_now / was - 1) < 1e-6, (name, was, is_now)


def biases_and_layers_of_fraction_zero_are_untouched(_, folder):
    before, after = tensors(NETWORK), tensors(made(folder))
    untouched = [name for name, value in before.items() if value.ndim == 1] + [list(weights(NETWORK))[1]]
    assert len(untouched) == 5 and all((before[name] == after[name]).all() for name in untouched), untouched
    assert onnx.load(made(folder)).graph.node == onnx.load(NETWORK).graph.node


def keep_is_the_complement_of_zero(_, folder):
    one = made(folder).read_bytes()
    done = sparsify(NETWORK, "--keep", ",".join(str(1 - f) for f in FRACTIONS), "-o", folder / "kept.onnx")
    assert done.returncode == 0 and (folder / "kept.onnx").read_bytes() == one, done


def one_fraction_serves_every_layer(_, folder):
    for fractions in ("0.5", "0.5,0.5,0.5,0.5"):
        assert sparsify(NETWORK, "--zero", fractions, "-o", folder / f"{len(fractions)}.onnx").returncode == 0
    assert (folder / "3.onnx").read_bytes() == (folder / "15.onnx").read_bytes()


def plumb_reads_what_was_written(plumb, folder):
    question = (made(folder), "--data", f"mnist:{REPOSITORY / 'examples/digits'}", "--json", "-q")
    done = subprocess.run([plumb, "eval", *question], capture_output=True, text=True)
    assert done.returncode == 0 and 0.017 < json.loads(done.stdout)["error"] < 0.5, done


def what_cannot_be_done_is_refused(_, folder):
    out = folder / "none.onnx"
    for arguments, code, what in ((("--zero", "0.5,0.5"), 65, "2 fractions for 4 layers"),
                                  (("--zero", "1"), 65, "[0, 1)"),
                                  (("--keep", "0"), 65, "[0, 1)"), (("--zero", "half"), 64, "half"),
                                  ((), 64, "--zero")):
        done = sparsify(NETWORK, *arguments, "-o", out)
        assert done.returncode == code and what in done.stderr and not out.exists(), (arguments, done)
    for path in (folder / "absent.onnx", REPOSITORY / "README.md"):
        done = sparsify(path, "--zero", "0.5", "-o", out)
        assert done.returncode == 65 and done.stderr.startswith("sparsify: ") and not out.exists(), done


CHECKS = [check for name, check in list(globals().items()) if callable(check) and check.__module__ == "__main__"
          and name not in ("main", "sparsify", "tensors", "weights", "made")]


if __name__ == "__main__":
    sys.exit(main(CHECKS, str))
