#!/usr/bin/env python3
"""plumb show and plumb merge from the user's side, on the example that comes with the project.

    tests/cli/show.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import onnxruntime

from accuracy_program import Program, refused, rows
from checks import main
from example import DATA, NETWORK
from png import read_png


def call(plumb, *arguments):
    return subprocess.run([plumb.path, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def succeeded(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def list_and_summary_agree(plumb, folder):
    store = folder / "run.db"
    lines, (summary,) = plumb.json(store, "--pgd")
    listed = list(csv.DictReader(io.StringIO(succeeded(call(plumb, "show", store, "--csv")))))
    assert [int(row["sample"]) for row in listed] == list(range(150)), "every sample, in order"
    for row, line in zip(listed, lines, strict=True):
        assert row["verdict"] == line["verdict"] and row["reason"] == line["reason"], (row, line)
        assert float(row["seconds"]) == line["seconds"] and row["pgd"] == str(int(line["pgd"])), (row, line)
        assert (row["distance"] == "") == (line["distance"] is None), (row, line)
    text = succeeded(call(plumb, "show", store)).splitlines()
    assert text[-1] == "150 results" and max(map(len, text)) <= 100, text[-1]
    assert any(line.startswith("eps ") and line.endswith("0.06") for line in text), text[:10]


def radii_are_in_order_of_size(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, eps="16/255,4/255,8/255", samples="0:3")
    for arguments in ([], ["--sample", 1]):
        listed = csv.DictReader(io.StringIO(succeeded(call(plumb, "show", store, "--csv", *arguments))))
        order = [(row["sample"], row["epsilon"]) for row in listed]
        samples = "1" if arguments else "012"
        assert order == [(k, eps) for k in samples for eps in ("4/255", "8/255", "16/255")], order
    text = succeeded(call(plumb, "show", store, "--sample", 1))
    assert text.index("4/255  5") < text.index("8/255  5") < text.index("16/255  5"), text


def filters_select_what_they_say(plumb, folder):
    store = folder / "run.db"
    lines, (summary,) = plumb.json(store, "--pgd", eps="0.1")
    def samples(name):
        done = call(plumb, "show", store, "--csv", "--filter", name)
        return {int(row["sample"]) for row in csv.DictReader(io.StringIO(succeeded(done)))}
    by = {line["sample"]: line for line in lines}
    assert samples("robust") == {k for k in by if by[k]["verdict"] == "holds"} and samples("robust")
    assert samples("vulnerable") == {k for k in by if by[k]["verdict"] == "violated"} and samples("vulnerable")
    assert samples("misclassified") == {k for k in by if by[k]["misclassified"]} < samples("vulnerable")
    assert samples("unknown") == samples("claimed") == set()
    assert samples("pgd-missed") == {k for k in by if by[k]["verdict"] == "violated" and not by[k]["pgd"]}


def a_sample_is_shown_with_its_history(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, "--work-limit", "1", eps="0.08")
    (unknown, *_), = rows(store, "SELECT sample FROM result JOIN question USING (query) WHERE verdict = 'unknown' LIMIT 1")
    plumb.json(store, eps="0.08")
    line = json.loads(succeeded(call(plumb, "show", store, "--sample", unknown, "--json")))
    assert line["verdict"] != "unknown" and [old["verdict"] for old in line["history"]] == ["unknown"], line
    text = succeeded(call(plumb, "show", store, "--sample", unknown))
    assert "unknown" in text and "units at eps 0.08" in text, text
    refused(call(plumb, "show", store, "--sample", 999), 64, "sample 999", "run.db")


def perturbations_are_shown_without_a_norm(plumb, folder):
    store = folder / "run.db"
    succeeded(call(plumb, "accuracy", NETWORK, "--data", DATA, "--samples", "0:20", "--perturbation", "contrast:0.3,1.5",
                   "--out", store, "-q"))
    text = succeeded(call(plumb, "show", store))
    assert "largest change" in text and "contrast:0.3,1.5" in text and "linf" not in text and "none" not in text, text
    plumb.json(folder / "ball.db", samples="0:20")
    text = succeeded(call(plumb, "show", folder / "ball.db"))
    assert "norm         linf" in text and "distance" in text and "largest change" not in text, text


def witnesses_in_every_form_are_the_stored_ones(plumb, folder):
    store = folder / "run.db"
    lines, _ = plumb.json(store, eps="0.04,0.06")
    expected = {(line["sample"], line["epsilon"]): line for line in lines if line["witness"]}
    done = call(plumb, "show", store, "--filter", "vulnerable", "--png", folder / "png", "--npy", folder / "npy",
                "--witnesses", folder / "witnesses.csv")
    succeeded(done)
    assert len(list((folder / "png").iterdir())) == len(expected) == len(list((folder / "npy").iterdir()))
    session = onnxruntime.InferenceSession(NETWORK)
    table = np.loadtxt(folder / "witnesses.csv", delimiter=",")
    for row, (key, line) in zip(table, sorted(expected.items()), strict=True):
        name = f"sample{key[0]:05}_eps{key[1]}"
        witness = np.array(line["witness"])
        assert np.array_equal(np.load(folder / "npy" / f"{name}.npy")[0], witness), name
        assert row[0] == line["label"] and np.array_equal(row[1:], witness), name
        picture = read_png((folder / "png" / f"{name}.png").read_bytes())
        assert picture.shape == (16, 16, 1), picture.shape
        assert np.abs(picture.ravel() / 255 - witness).max() <= 0.5 / 255 + 1e-9, name
        shape = session.get_inputs()[0].shape
        outputs = session.run(None, {session.get_inputs()[0].name: witness.astype(np.float32).reshape(shape)})[0].ravel()
        assert outputs.argmax() != line["label"], name
    errors = json.loads(succeeded(call(plumb, "eval", NETWORK, "--data", f"csv:{folder / 'witnesses.csv'}", "--json")))
    assert errors["errors"] == len(expected), "the file can be read again, and every witness is one"


def inputs_that_are_no_pictures_are_refused_as_png(plumb, folder):
    flat = folder / "flat.csv"
    network = folder / "flat.onnx"
    write_flat_network(network)
    flat.write_text("0,0.5,0.4\n1,0.1,0.9\n")
    done = plumb.run(folder / "run.db", network=str(network), data=f"csv:{flat}", samples="0:2", eps="0.2")
    assert done.returncode == 0, done.stderr
    refused(call(plumb, "show", folder / "run.db", "--png", folder / "png"), 65, "images", "--npy")
    succeeded(call(plumb, "show", folder / "run.db", "--npy", folder / "npy"))
    assert [np.load(path).shape for path in (folder / "npy").iterdir()] == [(1, 2)]


def write_flat_network(path):
    """A network that maps two numbers to two scores, unchanged."""
    import onnx
    from onnx import TensorProto, helper
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2, 2], [1, 0, 0, 1])
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])], "flat",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def merged_stores_equal_one_run_over_all(plumb, folder):
    plumb.json(folder / "a.db", samples="0:60")
    plumb.json(folder / "b.db", samples="40:100")
    out = succeeded(call(plumb, "merge", folder / "a.db", folder / "b.db", "-o", folder / "c.db"))
    assert out == "2 stores, 100 results; 20 others went into the history\n", out
    whole, _ = plumb.json(folder / "whole.db", samples="0:100")
    merged, (summary,) = plumb.json(folder / "c.db", samples="0:100")
    assert summary["solved_here"] == 0, "a merged store is continued like any other, and nothing is left to do"
    for line, other in zip(merged, whole, strict=True):
        assert all(line[key] == other[key] for key in ("sample", "label", "verdict", "witness")), (line, other)


def the_better_of_two_results_is_kept(plumb, folder):
    plumb.json(folder / "hasty.db", "--work-limit", "1", eps="0.08")
    lines, _ = plumb.json(folder / "patient.db", eps="0.08")
    unknown = rows(folder / "hasty.db", "SELECT count(*) FROM result WHERE verdict = 'unknown'")[0][0]
    assert unknown > 0
    for order in (("hasty.db", "patient.db"), ("patient.db", "hasty.db")):
        succeeded(call(plumb, "merge", *(folder / name for name in order), "-o", folder / "both.db"))
        verdicts = rows(folder / "both.db", "SELECT sample, verdict FROM result JOIN question USING (query) ORDER BY 1")
        assert verdicts == [(line["sample"], line["verdict"]) for line in lines], order
        old = rows(folder / "both.db", "SELECT count(*), sum(verdict = 'unknown') FROM history")
        assert old == [(150, unknown)], (order, old)
        (folder / "both.db").unlink()


def other_questions_are_refused(plumb, folder):
    plumb.json(folder / "a.db", samples="0:3")
    plumb.json(folder / "b.db", samples="0:3", eps="0.07")
    refused(call(plumb, "merge", folder / "a.db", folder / "b.db", "-o", folder / "c.db"), 65, "eps: 0.06 and 0.07")
    assert not (folder / "c.db").exists()
    refused(call(plumb, "merge", folder / "a.db", folder / "a.db", "-o", folder / "b.db"), 66, "exists already")
    refused(call(plumb, "merge", folder / "a.db", folder / "none.db", "-o", folder / "c.db"), 66, "the store does not exist")
    (folder / "text.db").write_text("not a store")
    refused(call(plumb, "show", folder / "text.db"), 65, "is not a store")


CHECKS = [list_and_summary_agree, radii_are_in_order_of_size, filters_select_what_they_say, a_sample_is_shown_with_its_history,
          perturbations_are_shown_without_a_norm,
          witnesses_in_every_form_are_the_stored_ones, inputs_that_are_no_pictures_are_refused_as_png,
          merged_stores_equal_one_run_over_all, the_better_of_two_results_is_kept, other_questions_are_refused]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
