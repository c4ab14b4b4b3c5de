#!/usr/bin/env python3
"""What a gradient attack finds on a real network with known verdicts.

    tests/regress/known_attacks.py --plumb build/release/plumb

mnist_wk17a at l-infinity 0.1, first 100 test images. Every sample with a witness must be `vulnerable` in the published
exact verdicts. Every witness must lie within the ball and the pixel range as float32 numbers, and ONNX Runtime must
give it another label (in float32, with its own order of summation). The attack finds all three vulnerable samples.
Sample 8 takes several restarts, and may be missed if float32 rounds differently. Exit code 77 if the shared folder is
absent.
"""

import json
import subprocess
import sys

import numpy as np
import onnxruntime

import known

SAMPLES = 100


def attack(plumb):
    done = subprocess.run([plumb, "attack", *known.QUESTION, "--samples", f"0:{SAMPLES}"], capture_output=True,
                          text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[:-1], lines[-1]["summary"]


def checks_with(plumb):
    samples, summary = attack(plumb)
    verdicts = known.published_verdicts()
    vulnerable = {k for k in range(SAMPLES) if verdicts[k] == "vulnerable"}
    found = {s["sample"]: s for s in samples if s["verdict"] == "violated"}
    session, originals = onnxruntime.InferenceSession(str(known.NETWORK)), known.images(SAMPLES)
    points = {k: np.array(s["witness"]) for k, s in found.items()}
    return {
        f"every sample found is vulnerable: {sorted(found)} of {sorted(vulnerable)}": set(found) <= vulnerable,
        "all vulnerable samples are found, but perhaps 8": vulnerable - set(found) <= {8},
        "the summary counts them": summary["vulnerable"] == len(found) and summary["unknown"] == SAMPLES - len(found)
            and summary["error_lower"] == len(found) / SAMPLES and summary["robust"] == 0,
        "witnesses lie in the ball": all(np.abs(points[k] - originals[k].astype(np.float64)).max() <= 0.1 for k in found),
        "witnesses are images": all(points[k].min() >= 0 and points[k].max() <= 1 for k in found),
        "witnesses are float32": all((points[k] == points[k].astype(np.float32)).all() for k in found),
        "ONNX Runtime agrees": all(known.changes_label(known.outputs(session, s["witness"]), s["label"])
                                   for s in found.values()),
        "misclassified ones are at distance 0": all((s["distance"] == 0) == (s["reason"] == "misclassified")
                                                    for s in found.values()),
    }


if __name__ == "__main__":
    sys.exit(known.main(checks_with))
