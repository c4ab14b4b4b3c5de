"""inspect, eval and bounds as a user meets them; for commands.py."""

import gzip
import json
import pathlib

import numpy as np

from example import DATA, NETWORK, REPOSITORY


def inspect_prints_a_table_of_at_most_100_columns(plumb, _):
    done = plumb.run("inspect", NETWORK)
    assert done.returncode == 0 and not done.stderr, done
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 100 and lines[-1].split() == ["total", "19,298", "832", "0"], done.stdout


def inspect_json_has_the_documented_keys(plumb, _):
    network = plumb.json("inspect", NETWORK)
    assert set(network) >= {"inputs", "outputs", "layers", "parameters", "relu_units", "max_units", "opset"}, network
    assert network["inputs"] == [{"name": "input", "shape": [1, 1, 16, 16]}], network["inputs"]
    assert network["outputs"] == [{"name": "logits", "shape": [1, 10]}], network["outputs"]
    for layer in network["layers"]:
        assert set(layer) >= {"name", "op", "shape", "parameters", "relu_units", "max_units"}, layer
    for total in ("parameters", "relu_units", "max_units"):
        assert network[total] == sum(layer[total] for layer in network["layers"]), total


def eval_counts_the_errors(plumb, _):
    labels = np.frombuffer(
        gzip.decompress((REPOSITORY / "examples/digits/t10k-labels-idx1-ubyte.gz").read_bytes()), np.uint8, offset=8)
    result = plumb.json("eval", NETWORK, "--data", DATA)
    singles = [plumb.json("eval", NETWORK, "--data", DATA, "--sample", k) for k in range(0, 1000, 97)]
    assert result["samples"] == 1000 and result["error"] == result["errors"] / 1000, result
    assert all(single["label"] == labels[single["sample"]] for single in singles), singles
    text = plumb.run("eval", NETWORK, "--data", DATA).stdout
    assert text == f"test error {result['errors'] / 10:.2f} %: {result['errors']} of 1,000 samples\n", text


def results_do_not_depend_on_threads(plumb, folder):
    written = []
    for threads in (1, 2, 3):
        path = folder / f"outputs{threads}.npy"
        plumb.json("eval", NETWORK, "--data", DATA, "--threads", threads, "--outputs", path)
        written.append(path.read_bytes())
    assert written[0] == written[1] == written[2]


def written_outputs_are_what_single_samples_print(plumb, folder):
    path = folder / "outputs.npy"
    for precision in ("double", "float32"):
        plumb.json("eval", NETWORK, "--data", DATA, "--samples", "10:20", "--precision", precision, "--outputs", path)
        outputs = np.load(path)
        assert outputs.shape == (10, 10) and outputs.dtype == np.float64, outputs
        for row in range(10):
            single = plumb.json("eval", NETWORK, "--data", DATA, "--sample", 10 + row, "--precision", precision)
            scale = np.abs(outputs[row]).max()
            tolerance = scale * (1e-14 if precision == "double" else 1e-6)  # another batch, another order of summation
            assert np.abs(np.array(single["logits"]) - outputs[row]).max() <= tolerance, (row, precision)
            assert single["predicted"] == outputs[row].argmax(), row


def double_and_float32_differ_by_rounding_only(plumb, folder):
    outputs = {}
    for precision in ("double", "float32"):
        path = folder / f"{precision}.npy"
        plumb.json("eval", NETWORK, "--data", DATA, "--precision", precision, "--outputs", path)
        outputs[precision] = np.load(path)
    difference = np.abs(outputs["double"] - outputs["float32"]).max()
    assert 0 < difference < 1e-4, difference
    assert (outputs["float32"] == outputs["float32"].astype(np.float32)).all()


def data_without_labels_has_no_errors_to_count(plumb, folder):
    path = folder / "x.npy"
    np.save(path, np.zeros((3, 16, 16), np.float32))
    result = plumb.json("eval", NETWORK, "--data", f"npy:{path}")
    assert result["samples"] == 3 and result["errors"] is None and result["error"] is None, result


def a_place_that_cannot_be_written_is_named(plumb, folder):
    for place in (folder / "missing" / "y.npy", pathlib.Path("/dev/full")):
        done = plumb.run("eval", NETWORK, "--data", DATA, "--outputs", place)
        assert done.returncode == 66 and str(place) in done.stderr and not done.stdout, done


def bounds_json_has_the_documented_keys(plumb, _):
    one = plumb.json("bounds", NETWORK, "--data", DATA, "--sample", 7, "--eps", "0.06")
    assert set(one) >= {"sample", "label", "layers", "margins", "labels_eliminated", "reduced", "seconds",
                        "stage_seconds"}, one
    assert set(one["reduced"]) == {"rows", "inputs", "bytes"} and one["reduced"]["inputs"] <= 256, one["reduced"]
    assert [margin["target"] for margin in one["margins"]] == [t for t in range(10) if t != one["label"]], one["margins"]
    for layer in one["layers"]:
        assert layer["active"] + layer["inactive"] + layer["unstable"] == layer["units"], layer
        assert sum(layer[f"by_{m}"] for m in ("interval", "linear", "alpha", "lp", "milp")) == 2 * layer["units"], layer
        assert layer["refined"] + layer["already_decided"] + layer["exact"] == layer["units"], layer
    lines = plumb.run("bounds", NETWORK, "--data", DATA, "--samples", "0:5", "--eps", "0.06", "--json").stdout
    lines = [json.loads(line) for line in lines.splitlines()]
    assert [line.get("sample") for line in lines] == [0, 1, 2, 3, 4, None] and lines[-1]["summary"]["samples"] == 5
    assert set(lines[-1]["summary"]) >= {"layers", "margins", "labels_eliminated", "reduced", "seconds"}, lines[-1]


def tighter_questions_have_tighter_bounds(plumb, _):
    def least(*options):
        return min(m["lower"] for m in plumb.json("bounds", NETWORK, "--data", DATA, "--sample", 7, *options)["margins"])
    assert least("--eps", "0.03") > least("--eps", "0.06") > least("--eps", "15/255", "--domain", "none") - 1e-9
    assert least("--eps", "0.06") > least("--eps", "0.06", "--method", "interval")
    assert least("--eps", "0.1", "--method", "alpha") > least("--eps", "0.1")
    assert least("--eps", "0.1", "--method", "lp") > least("--eps", "0.1")
    assert least("--eps", "0.06", "--norm", "l1") > least("--eps", "0.06", "--norm", "l2") > least("--eps", "0.06")


def little_memory_changes_the_form_and_not_the_bounds(plumb, _):
    def margins(*options):
        return plumb.json("bounds", NETWORK, "--data", DATA, "--sample", 7, "--eps", "0.14", "--threads", 1, *options)
    for method in ("linear", "alpha"):
        stored, layered = margins("--method", method), margins("--method", method, "--memory", "0.00024")
        assert stored["reduced"] and layered["reduced"] is None, (stored["reduced"], layered["reduced"])
        for a, b in zip(stored["margins"], layered["margins"]):
            assert abs(a["lower"] - b["lower"]) < (1e-9 if method == "linear" else 0.05), (method, a, b)


def a_radius_of_zero_bounds_the_network_at_the_sample(plumb, _):
    logits = plumb.json("eval", NETWORK, "--data", DATA, "--sample", 7)["logits"]
    result = plumb.json("bounds", NETWORK, "--data", DATA, "--sample", 7, "--eps", "0")
    for margin in result["margins"]:
        exact = logits[result["label"]] - logits[margin["target"]]
        assert exact - 1e-9 < margin["lower"] <= exact + 1e-12, (margin, exact)
