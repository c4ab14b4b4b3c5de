#!/usr/bin/env python3
"""Verdicts of both engines on a real network whose exact verdicts are published.

    tests/regress/known_verdicts.py --plumb build/release/plumb

mnist_wk17a at l-infinity 0.1: the first 500 test images by branch and bound, the first 100 with HiGHS, the first 20
with Cbc and the first 10 with GLPK must all be decided, and the verdicts must be the published ones. An audit confirms
the first 20, and one more that needs a search tree. Bounds and attacks decide most samples. To give the solvers
something to do, sample 65 is also decided without optimised slopes and cuts, and sample 3 without linear bounds.
Witnesses must lie in the ball and change the label in ONNX Runtime. Exit code 77 if the shared folder is absent.
"""

import json
import subprocess
import sys

import numpy as np
import onnxruntime

import known

VERDICT = {"holds": "robust", "violated": "vulnerable"}


def verify(plumb, samples, *options, engine="milp"):
    done = subprocess.run([plumb, "verify", *known.QUESTION, "--samples", samples, "--engine", engine, *options],
                          capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()][:-1]


def witness_is_good(session, original, line):
    point = np.array(line["witness"])
    return (np.abs(point - original.astype(np.float64)).max() <= 0.1 and 0 <= point.min() and point.max() <= 1
            and (point == point.astype(np.float32)).all()
            and known.changes_label(known.outputs(session, point), line["label"]))


def checks_with(plumb):
    truth = known.published_verdicts()
    runs = {"500 by branch and bound": verify(plumb, "0:500", engine="bab"),
            "20 audited": verify(plumb, "0:20", "--audit", engine="bab"),
            "326 audited": verify(plumb, "326:327", "--audit", engine="bab"),
            "100 with HiGHS": verify(plumb, "0:100"),
            "20 with Cbc": verify(plumb, "0:20", "--solver", "cbc"),
            "10 with GLPK": verify(plumb, "0:10", "--solver", "glpk"),
            "65 by a program of HiGHS": verify(plumb, "65:66", "--tighten", "interval,linear", "--no-cuts"),
            "65 by a program of Cbc": verify(plumb, "65:66", "--tighten", "interval,linear", "--no-cuts", "--solver",
                                             "cbc"),
            "326 and 443 by cuts": [line for k in (326, 443) for line in verify(plumb, f"{k}:{k + 1}")],
            "3 by intervals and a program": verify(plumb, "3:4", "--tighten", "interval,lp"),
            "65 layered": verify(plumb, "65:66", "--tighten", "interval,linear,alpha", "--encoding", "layered")}
    checks = {}
    for name, lines in runs.items():
        wrong = [(line["sample"], line["verdict"], line["reason"]) for line in lines
                 if VERDICT.get(line["verdict"]) != truth[line["sample"]].replace("misclassified", "vulnerable")]
        checks[f"{name}: all decided as published {wrong or ''}"] = not wrong
    checks["the program's proof is called the solver's claim"] = all(
        line["evidence"] == "solver" for line in runs["65 by a program of HiGHS"] + runs["65 by a program of Cbc"])
    checks["where cuts are enough, the proof is rigorous"] = all(
        line["evidence"] == "rigorous" and line["statistics"]["cuts"] > 0 for line in runs["326 and 443 by cuts"])
    checks["every proof of branch and bound is rigorous"] = all(
        line["evidence"] == "rigorous" for line in runs["500 by branch and bound"] if line["verdict"] == "holds")
    audits = [line["statistics"]["audit"] for name in ("20 audited", "326 audited") for line in runs[name]
              if line["verdict"] == "holds"]
    checks["an audit confirms all of it, a tree included"] = (
        all(audit["refutations"] + audit["closings"] > 0 for audit in audits)
        and audits[-1]["closings"] > 0)
    checks["proofs by bounds are called rigorous"] = all(
        line["evidence"] == "rigorous" for line in runs["100 with HiGHS"] if "bounds" in line["reason"])
    session, originals = onnxruntime.InferenceSession(str(known.NETWORK)), known.images(500)
    checks["witnesses lie in the ball and change the label in ONNX Runtime"] = all(
        witness_is_good(session, originals[line["sample"]], line)
        for lines in runs.values() for line in lines if line["verdict"] == "violated")
    return checks


if __name__ == "__main__":
    sys.exit(known.main(checks_with))
