#!/usr/bin/env python3
"""Questions that are nearly ties: is the margin of a sample at least t, with t just below and just above the least margin
of the region? Inequalities that are so close to a tie leave room for hardly any unsafe point; a search must not lose
itself there.

    tests/regress/near_ties.py --plumb build/release/plumb

Every question must be decided as `plumb worst` says, within a few thousand subproblems.
"""

import gzip
import json
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DIGITS = REPOSITORY / "examples/digits"
sys.path.insert(0, str(REPOSITORY / "tests/cli"))

import checks  # noqa: E402

EPSILON = "0.06"
MOST_SUBPROBLEMS = 5000


def answer(plumb, *arguments):
    done = subprocess.run([plumb, *map(str, arguments), "--threads", "1", "--json", "-q"], capture_output=True, text=True)
    assert done.returncode in (0, 1, 2), done.stderr
    return json.loads(done.stdout.splitlines()[0])


def worst(plumb, sample):
    return answer(plumb, "worst", DIGITS / "digits.onnx", "--data", f"mnist:{DIGITS}", "--sample", sample, "--eps",
                  EPSILON, "--work-limit", 2_000_000_000)


def pixels(sample):
    content = gzip.decompress((DIGITS / "t10k-images-idx3-ubyte.gz").read_bytes())
    size = int.from_bytes(content[8:12], "big") * int.from_bytes(content[12:16], "big")
    return content[16 + sample * size:16 + (sample + 1) * size]


def property_of(sample, label, threshold):
    """Violated if some margin of the label is at most the threshold."""
    values = [pixel / 255 for pixel in pixels(sample)]
    lines = [f"(declare-const X_{i} Real)" for i in range(len(values))]
    lines += [f"(declare-const Y_{k} Real)" for k in range(10)]
    for i, value in enumerate(values):
        low, high = max(0.0, value - float(EPSILON)), min(1.0, value + float(EPSILON))
        lines.append(f"(assert (>= X_{i} {low:.9f}))(assert (<= X_{i} {high:.9f}))")
    margins = (f"(and (<= (- Y_{label} Y_{k}) {threshold:.9f}))" for k in range(10) if k != label)
    return "\n".join([*lines, f"(assert (or {' '.join(margins)}))"])


def decides_quickly(plumb, folder, threshold, sample, label, expected):
    file = pathlib.Path(folder) / "margin.vnnlib"
    file.write_text(property_of(sample, label, threshold))
    found = answer(plumb, "verify", DIGITS / "digits.onnx", file)
    what = f"sample {sample}, margin at most {threshold}: {found['verdict']}, {found['statistics']['nodes']} subproblems"
    assert found["verdict"] == expected, what
    assert found["statistics"]["nodes"] <= MOST_SUBPROBLEMS, what


def margins_near_the_least_one_are_decided_quickly(plumb, folder):
    for sample in range(4):
        least = worst(plumb, sample)
        assert least["exact"], f"sample {sample}: between {least['lower']} and {least['upper']}: {least['reason']}"
        for below in (1e-4, 3e-4, 1e-3, 3e-3):
            decides_quickly(plumb, folder, least["lower"] - below * abs(least["lower"]), sample, least["label"], "holds")
            decides_quickly(plumb, folder, least["upper"] + below * abs(least["upper"]), sample, least["label"],
                            "violated")


if __name__ == "__main__":
    sys.exit(checks.main([margins_near_the_least_one_are_decided_quickly], str))
