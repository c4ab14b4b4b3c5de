#!/usr/bin/env python3
"""Known facts about bounds on real networks.

    tests/regress/known_bounds.py --plumb build/release/plumb

mnist_wk17a at l-infinity 0.1: intervals, then linear bounds, leave 127.1 undecided units per sample on the first 500
test images (an independent program that is not rigorous counts the same; the paper's LP bounds leave 121.18 over all
samples). Eliminated labels must agree with the published exact verdicts: no sample whose verdict is `vulnerable` may
have all labels eliminated. Exit code 77 if the shared folder is absent.
"""

import json
import subprocess
import sys

import known


def bounds(plumb, *arguments):
    done = subprocess.run([plumb, "bounds", *known.QUESTION, *arguments], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[:-1], lines[-1]["summary"]


def unstable(summary):
    return sum(layer["unstable"] for layer in summary["layers"])


def checks_with(plumb):
    samples, linear = bounds(plumb, "--samples", "0:500")
    _, interval = bounds(plumb, "--samples", "0:500", "--method", "interval")
    verdicts = known.published_verdicts()
    proven = {s["sample"] for s in samples if s["labels_eliminated"] == 9}
    return {
        f"linear leaves 127.1 undecided units, here {unstable(linear):.2f}": abs(unstable(linear) - 127.1) < 0.3,
        f"interval leaves more, here {unstable(interval):.2f}": unstable(interval) > 800,
        f"no proven sample is vulnerable, of {len(proven)}": all(verdicts[k] == "robust" for k in proven),
        f"linear bounds prove 471 samples, here {len(proven)}": abs(len(proven) - 471) <= 1,
    }


if __name__ == "__main__":
    sys.exit(known.main(checks_with))
