#!/usr/bin/env python3
"""The commands as a user meets them, on the example that comes with the project.

    tests/cli/commands.py --plumb build/release/plumb

Checks help texts, tables, JSON keys, exit codes, that results do not depend on threads, and that written outputs are
what single samples print. Closing line: `N passed, N failed`.
"""

import gzip
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

from checks import main

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


def version_is_printed(plumb, _):
    done = plumb.run("--version")
    assert done.returncode == 0 and done.stdout.startswith("plumb "), done


def every_command_has_an_example_in_its_help(plumb, _):
    for command in ((), ("inspect",), ("eval",), ("bounds",), ("attack",), ("accuracy",), ("solvers",), ("verify",),
                    ("distortion",), ("show",), ("merge",), ("report",), ("worst",)):
        done = plumb.run(*command, "--help")
        assert done.returncode == 0 and "Example: plumb " in done.stdout, (command, done)


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


ATTACK_WITHIN = ("attack", NETWORK, "--data", DATA, "--restarts", "5", "--steps", "20", "--eps")
ATTACK = (*ATTACK_WITHIN, "0.1")


def attack_json_has_the_documented_keys(plumb, _):
    done = plumb.run(*ATTACK, "--samples", "0:40", "--json")
    assert done.returncode == 0, done
    *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    keys = {"sample", "label", "verdict", "reason", "evidence", "engine", "solver", "witness", "outputs", "predicted",
            "distance", "seconds", "statistics"}
    assert [line["sample"] for line in lines] == list(range(40)) and all(set(line) >= keys for line in lines), lines
    summary, found = last["summary"], [line for line in lines if line["verdict"] == "violated"]
    assert 0 < len(found) < 40 and summary["vulnerable"] == len(found), summary
    assert summary["samples"] == 40 and summary["robust"] == 0 and summary["unknown"] == 40 - len(found), summary
    assert summary["error_lower"] == len(found) / 40 and summary["error_upper"] == 1, summary
    assert all(line["verdict"] == "violated" or line["witness"] is None and line["reason"] for line in lines), lines


def witnesses_of_an_attack_are_adversarial_images(plumb, folder):
    images = np.frombuffer(gzip.decompress((REPOSITORY / "examples/digits/t10k-images-idx3-ubyte.gz").read_bytes()),
                           np.uint8, offset=16).reshape(-1, 256).astype(np.float32) / np.float32(255)
    for norm, radius, order in (("linf", 0.1, np.inf), ("l1", 6, 1), ("l2", 0.9, 2)):
        done = plumb.run(*ATTACK_WITHIN, radius, "--samples", "0:40", "--norm", norm, "--json")
        found = [line for line in map(json.loads, done.stdout.splitlines()) if line.get("verdict") == "violated"]
        assert len(found) > 2, (norm, len(found))
        points = np.array([line["witness"] for line in found])
        assert (points == points.astype(np.float32)).all() and points.min() >= 0 and points.max() <= 1, norm
        for line, point in zip(found, points):
            apart = np.linalg.norm(point - images[line["sample"]].astype(np.float64), order)
            assert apart <= radius and abs(line["distance"] - apart) < 1e-9, (norm, apart, line["distance"])
        np.savez(folder / "found.npz", x=points.reshape(-1, 1, 16, 16), y=[line["label"] for line in found])
        for precision in ("double", "float32"):
            result = plumb.json("eval", NETWORK, "--data", f"npz:{folder / 'found.npz'}", "--precision", precision)
            assert result["errors"] == len(found), (norm, precision, result)


def attacks_do_not_depend_on_threads(plumb, _):
    def lines(threads):
        done = plumb.run(*ATTACK, "--samples", "0:20", "--threads", threads, "--json")
        parsed = [json.loads(line) for line in done.stdout.splitlines()]
        return [{key: value for key, value in line.items() if key != "seconds"} for line in parsed[:-1]]
    assert lines(1) == lines(2) == lines(3)


def a_single_attack_says_by_its_exit_code_whether_it_succeeded(plumb, _):
    lines = [json.loads(line) for line in plumb.run(*ATTACK, "--samples", "0:40", "--json").stdout.splitlines()][:-1]
    for verdict, code in (("violated", 1), ("unknown", 2)):
        sample = next(line["sample"] for line in lines if line["verdict"] == verdict)
        done = plumb.run(*ATTACK, "--sample", sample, "--json")
        assert done.returncode == code and json.loads(done.stdout)["verdict"] == verdict, done


def an_attack_from_random_starts_only_differs(plumb, _):
    def witnesses(*options):
        done = plumb.run("attack", NETWORK, "--data", DATA, "--samples", "0:200", "--eps", "0.08", "--restarts", 1,
                         "--steps", 5, "--json", *options)
        return {line["sample"]: line["witness"] for line in map(json.loads, done.stdout.splitlines()) if "sample" in line}
    middle, random = witnesses(), witnesses("--random-start")
    assert middle != random and witnesses("--random-start") == random
    assert witnesses("--random-start", "--seed", 2) != random
    assert witnesses("--seed", 2) == middle, "the middle is no random start"


def verify_json_has_the_documented_keys(plumb, _):
    keys = {"sample", "label", "verdict", "reason", "evidence", "engine", "solver", "witness", "outputs", "predicted",
            "distance", "seconds", "statistics"}
    done = plumb.run("verify", NETWORK, "--data", DATA, "--samples", "0:8", "--eps", "0.06", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and not done.stderr, done
    assert [line.get("sample") for line in lines] == [*range(8), None] and all(set(l) == keys for l in lines[:-1]), lines
    summary = lines[-1]["summary"]
    assert set(summary) >= {"samples", "misclassified", "robust", "vulnerable", "unknown", "error_lower", "error_upper",
                            "seconds"} and summary["samples"] == 8, summary
    assert summary["robust"] == sum(line["verdict"] == "holds" for line in lines[:-1]) > 0, summary
    statistics = lines[0]["statistics"]
    assert set(statistics) >= {"build_seconds", "solve_seconds", "nodes", "lps", "simplex_iterations", "work",
                               "labels_eliminated", "refined", "skipped_decided", "skipped_exact", "layers"}, statistics
    for layer in statistics["layers"]:
        assert sum(layer[f"by_{m}"] for m in ("interval", "linear", "alpha", "lp", "milp")) > 0, layer


def verify_says_by_its_exit_code_what_it_found(plumb, _):
    def verify(*options):
        done = plumb.run("verify", NETWORK, "--data", DATA, "--engine", "milp", "--json", *options)
        return done.returncode, json.loads(done.stdout)
    code, held = verify("--sample", 7, "--eps", "0.06")
    assert code == 0 and held["verdict"] == "holds" and held["evidence"] == "rigorous" and held["witness"] is None, held
    code, violated = verify("--sample", 0, "--eps", "0.15")
    assert code == 1 and violated["verdict"] == "violated" and violated["evidence"] == "exact", violated
    assert 0 < violated["distance"] <= 0.15 and violated["predicted"] != violated["label"], violated
    assert violated["outputs"][violated["predicted"]] >= violated["outputs"][violated["label"]], violated
    code, unknown = verify("--sample", 1, "--eps", "0.1", "--work-limit", 1)
    assert code == 2 and unknown["verdict"] == "unknown" and unknown["reason"] == "work limit", unknown


def without_cuts_the_same_is_proven_by_a_larger_tree(plumb, _):
    question = ("verify", NETWORK, "--data", DATA, "--sample", 32, "--eps", "0.1")
    done = {options: plumb.run(*question, "--json", *options) for options in ((), ("--no-cuts",))}
    with_cuts, without = (json.loads(run.stdout) for run in done.values())
    assert with_cuts["verdict"] == without["verdict"] == "holds", done
    assert with_cuts["statistics"]["cuts"] > 0 == without["statistics"]["cuts"], done
    assert without["statistics"]["nodes"] > with_cuts["statistics"]["nodes"], done


def cuts_of_the_mixed_integer_engine_prove_what_a_solver_would_claim(plumb, _):
    question = ("verify", NETWORK, "--data", DATA, "--sample", 32, "--eps", "0.08", "--engine", "milp", "--json")
    with_cuts, without = (json.loads(plumb.run(*question, *options).stdout) for options in ((), ("--no-cuts",)))
    assert with_cuts["verdict"] == without["verdict"] == "holds", (with_cuts, without)
    assert (with_cuts["evidence"], without["evidence"]) == ("rigorous", "solver"), (with_cuts, without)
    assert with_cuts["statistics"]["cuts"] >= with_cuts["statistics"]["cut_rounds"] > 0, with_cuts
    assert without["statistics"]["cuts"] == without["statistics"]["cut_rounds"] == 0, without


def an_audit_confirms_the_verdicts_and_says_what_it_did(plumb, folder):
    question = ("verify", NETWORK, "--data", DATA, "--samples", "0:4", "--eps", "0.06")
    plain = [json.loads(line) for line in plumb.run(*question, "--json").stdout.splitlines()][:-1]
    done = plumb.run(*question, "--json", "--audit")
    audited = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    assert done.returncode == 0 and len(plain) == 4, done
    for before, after in zip(plain, audited):
        assert (before["verdict"], before["reason"]) == (after["verdict"], after["reason"]), (before, after)
        assert before["statistics"]["audit"] is None, before
        audit = after["statistics"]["audit"]
        assert set(audit) == {"closings", "refutations", "bounds", "cuts", "pieces", "not_confirmed", "seconds"}, audit
        assert audit["refutations"] + audit["closings"] > 0 and audit["not_confirmed"] == 0, audit
    text = plumb.run(*question[:-4], "--sample", 7, "--eps", "0.06", "--audit").stdout
    assert "\naudit: " in text, text
    write_property(folder / "p.vnnlib", 9, 0.01)
    text = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--audit").stdout
    assert text.startswith("violated") or "\naudit: " in text, text
    for options in (("--engine", "milp"), ("--engine", "bounds"), ("--solver", "highs")):
        done = plumb.run(*question, "--audit", *options)
        assert done.returncode == 64 and "--audit" in done.stderr, done


def encodings_and_ablations_give_the_same_verdict(plumb, _):
    for options in ((), ("--encoding", "layered"), ("--tighten", "interval,linear,lp"), ("--symmetric-bounds",),
                    ("--tighten", "interval,lp", "--no-progressive"), ("--solver", "cbc"), ("--target", "3,5")):
        done = plumb.run("verify", NETWORK, "--data", DATA, "--sample", 6, "--eps", "0.08", "--engine", "milp",
                         "--json", *options)
        assert done.returncode == 0 and json.loads(done.stdout)["verdict"] == "holds", (options, done)


def a_model_is_written_where_bounds_do_not_decide(plumb, folder):
    common = ("verify", NETWORK, "--data", DATA, "--sample", 1, "--eps", "0.1", "--engine", "milp",
              "--work-limit", 1)
    for name, sections in (("model.mps", ("ROWS", "COLUMNS", "MARKER", "ENDATA")), ("model.lp", ("Subject To", "End"))):
        done = plumb.run(*common, "--write-model", folder / name)
        assert done.returncode == 2, done
        text = (folder / name).read_text()
        assert all(section.lower() in text.lower() for section in sections), text[:200]
    done = plumb.run(*common, "--write-model", folder / "missing" / "model.lp")
    assert done.returncode == 66 and "--write-model" in done.stderr, done


def solvers_are_listed_with_the_reason_where_one_is_missing(plumb, _):
    listed = plumb.json("solvers")
    names = [solver["name"] for solver in listed["solvers"]]
    assert listed["default"] == "highs" and {"highs", "cbc", "glpk", "gurobi", "outer"} <= set(names), names
    for solver in listed["solvers"]:
        assert set(solver) >= {"name", "title", "version", "licence", "available", "reason", "can"}, solver
        assert solver["available"] == (solver["reason"] is None), solver
    assert listed["solvers"][0]["available"] and listed["solvers"][0]["can"]["integer"], listed["solvers"][0]
    table = plumb.run("solvers")
    assert table.returncode == 0 and not table.stderr and all(name in table.stdout for name in names), table


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


def properties_get_the_verdict_of_the_sample_that_they_describe(plumb, folder):
    for radius, code in ((0.06, 0), (0.3, 1)):
        write_property(folder / "p.vnnlib.gz", 9, radius, packed=True)
        sample = plumb.run("verify", NETWORK, "--data", DATA, "--sample", 7, "--eps", radius, "--json")
        done = plumb.run("verify", NETWORK, folder / "p.vnnlib.gz", "--json")
        assert done.returncode == sample.returncode == code, (done, sample)
        verdict = json.loads(done.stdout)
        assert verdict["verdict"] == json.loads(sample.stdout)["verdict"], verdict
        assert set(verdict) >= {"verdict", "reason", "evidence", "engine", "solver", "witness", "outputs", "parts",
                                "notices", "seconds", "statistics"}, verdict
        text = plumb.run("verify", NETWORK, folder / "p.vnnlib.gz")
        assert text.returncode == code and text.stdout.startswith(verdict["verdict"] + ": "), text


def a_property_s_witness_lies_in_its_bounds_and_is_written_for_the_competition(plumb, folder):
    values = write_property(folder / "p.vnnlib", 9, 0.3)
    done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--json", "--result", folder / "result.txt")
    verdict = json.loads(done.stdout)
    witness = np.array(verdict["witness"])
    assert (witness == witness.astype(np.float32)).all() and len(verdict["outputs"]) == 10, verdict
    assert (np.maximum(values - 0.3, 0) <= witness).all() and (witness <= np.minimum(values + 0.3, 1)).all()
    lines = (folder / "result.txt").read_text().replace("(", " ").replace(")", " ").splitlines()
    assert lines[0] == "sat" and len(lines) == 1 + 256 + 10, lines[:3]
    written = {line.split()[0]: float(line.split()[1]) for line in lines[1:]}
    assert [written[f"X_{i}"] for i in range(256)] == verdict["witness"], written
    assert [written[f"Y_{i}"] for i in range(10)] == verdict["outputs"], written


def empty_regions_hold_with_a_warning(plumb, folder):
    write_property(folder / "p.vnnlib", 9, 0.3)
    with open(folder / "p.vnnlib", "a") as file:
        file.write("(assert (<= X_3 -1))\n")
    done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--result", folder / "result.txt")
    assert done.returncode == 0 and done.stdout.startswith("holds: ") and "empty" in done.stderr, done
    assert (folder / "result.txt").read_text() == "unsat\n"


def the_example_property_holds(plumb, _):
    done = plumb.run("verify", NETWORK, REPOSITORY / "examples/digits/image7.vnnlib")
    assert done.returncode == 0 and done.stdout.startswith("holds: linear bounds (rigorous)"), done


def a_time_limit_is_an_answer(plumb, folder):
    write_property(folder / "p.vnnlib", 9, 0.3)
    done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--timeout", "1e-6", "--result", folder / "result.txt")
    assert done.returncode == 2 and done.stdout.startswith("unknown: time limit"), done
    assert (folder / "result.txt").read_text() == "timeout\n"


def two_networks_of_one_property_are_compared(plumb, folder):
    bounds = "".join(f"(assert (and (>= X[0,0,{r},{c}] 0) (<= X[0,0,{r},{c}] 0.01) (== X[0,0,{r},{c}] U[0,0,{r},{c}])))\n"
                     for r in range(16) for c in range(16))
    declared = ("(vnnlib-version <2.0>)\n"
                "(declare-network f (declare-input X float32 [1,1,16,16]) (declare-output Y float32 [1,10]))\n"
                "(declare-network g (equal-to f) (declare-input U float32 [1,1,16,16])"
                " (declare-output V float32 [1,10]))\n")
    for condition, code in (("(> Y[0,3] (+ V[0,3] 1000))", 0), ("(< Y[0,3] (+ V[0,4] 1000))", 1)):
        (folder / "p.vnnlib").write_text(declared + bounds + f"(assert {condition})\n")
        done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--timeout", "60", "--result", folder / "result.txt")
        assert done.returncode == code, done
    lines = (folder / "result.txt").read_text().splitlines()
    assert lines[0] == "sat" and lines[1] == "X float32 [1,1,16,16]" and len(lines) == 1 + 2 * 257 + 2 * 11, lines[:3]
    assert lines[2:258] == lines[270:526], "both networks have the same input"


def mistakes_in_properties_are_named_with_their_place(plumb, folder):
    path = folder / "p.vnnlib"
    path.write_text("(declare-const X_0 Real)\n(assert (<= X_0 abc))\n")
    done = plumb.run("verify", NETWORK, path)
    assert done.returncode == 65 and f"{path}: line 2, column 17" in done.stderr and not done.stdout, done
    path.write_text("(declare-const X_0 Real)\n(assert (<= X_0 1))\n(assert (>= X_0 1))\n")
    done = plumb.run("verify", NETWORK, path)
    assert done.returncode == 65 and "declares 1 inputs, the network has 256" in done.stderr, done


def distortion_json_has_the_documented_keys(plumb, _):
    def measure(*options):
        done = plumb.run("distortion", NETWORK, "--data", DATA, "--sample", 7, "--threads", 1, "--json", *options)
        assert done.returncode in (0, 2), done.stderr
        return json.loads(done.stdout), done.returncode

    # One parameter: quick and exact.
    line, code = measure("--perturbation", "brightness:-1,1")
    assert {"sample", "label", "norm", "lower", "upper", "exact", "reason", "witness", "parameters", "predicted",
            "evidence", "seconds", "statistics"} <= line.keys(), line.keys()
    assert code == 0 and line["exact"] and line["evidence"] == "rigorous", line
    assert line["witness_evidence"] in ("exact", "real only"), line
    assert 0 < line["lower"] <= line["upper"] <= line["lower"] * (1 + 2e-6), line
    # The upper end is printed as a decimal that is not below it.
    away = abs(line["parameters"][0])
    assert len(line["parameters"]) == 1 and away <= line["upper"] <= away * (1 + 1e-15), line
    # Verify agrees on both sides of it.
    for share, wanted in ((0.999, "holds"), (1.001, "violated")):
        b = line["upper"] * share
        verdict = json.loads(plumb.run("verify", NETWORK, "--data", DATA, "--sample", 7, "--perturbation",
                                       f"brightness:{-b:.6f},{b:.6f}", "--json").stdout)
        assert verdict["verdict"] == wanted, (share, verdict)
    # Bounds alone leave an interval open.
    line, code = measure("--engine", "bounds", "--gap", "1e-2")
    assert code == 2 and not line["exact"] and 0 < line["lower"] < line["upper"], line
    assert line["evidence"] == "rigorous" and line["rigorous_lower"] == line["lower"], line


def worst_margins_agree_with_verify_and_with_the_outputs(plumb, _):
    def worst(*options, codes=(0,)):
        done = plumb.run("worst", NETWORK, "--data", DATA, "--threads", 1, "--json", *options)
        assert done.returncode in codes, done
        return [json.loads(line) for line in done.stdout.splitlines()]

    lines = worst("--samples", "0:4", "--eps", "0.03")
    summary = lines.pop()["summary"]
    assert {"samples", "skipped", "exact", "robust", "violated", "mean_lower", "mean_upper"} <= summary.keys(), summary
    assert summary["samples"] == summary["exact"] == 4 and summary["skipped"] == 0, summary
    for line in lines:
        assert {"sample", "label", "lower", "upper", "exact", "reason", "evidence", "rigorous_lower", "witness",
                "outputs", "other", "predicted", "seconds", "statistics"} <= line.keys(), line.keys()
        assert line["lower"] <= line["upper"] <= line["lower"] + max(1e-5, 1e-4 * abs(line["upper"])), line
        outputs = line["outputs"]
        margin = outputs[line["label"]] - outputs[line["other"]]
        assert abs(margin - line["upper"]) < 1e-4 and line["evidence"] == "rigorous", (margin, line)
        verdict = json.loads(plumb.run("verify", NETWORK, "--data", DATA, "--sample", line["sample"], "--eps", "0.03",
                                       "--json").stdout)["verdict"]
        assert verdict == ("holds" if line["lower"] > 0 else "violated"), (verdict, line)
    # A larger ball has a worse margin.
    near, = worst("--sample", 7, "--eps", "0.03")
    far, = worst("--sample", 7, "--eps", "0.06")
    assert far["upper"] < near["lower"] and near["predicted"] == near["label"], (near, far)
    # One target is at best as bad as any label, and the one that decides is just as bad.
    other, = worst("--sample", 7, "--eps", "0.03", "--target", near["other"])
    assert abs(other["upper"] - near["upper"]) < 1e-3, (other["upper"], near["upper"])
    # The solver's own objective gives the same interval, as a claim.
    claimed, = worst("--sample", 7, "--eps", "0.03", "--engine", "milp")
    proven, = worst("--sample", 7, "--eps", "0.03")
    assert claimed["lower"] <= proven["upper"] + 1e-4 and proven["lower"] <= claimed["upper"], (claimed, proven)
    # Bounds alone leave an interval open.
    line, = worst("--sample", 7, "--eps", "0.06", "--engine", "bounds", codes=(2,))
    assert not line["exact"] and line["lower"] < line["upper"], line


def samples_whose_label_is_a_target_are_skipped(plumb, folder):
    labels = [json.loads(line)["label"] for line in plumb.run(
        "attack", NETWORK, "--data", DATA, "--samples", "0:6", "--eps", "0.01", "--json").stdout.splitlines()[:-1]]
    target = labels[1]
    kept = [k for k in range(6) if labels[k] != target]
    for command in (("verify", "--eps", "0.01"), ("worst", "--eps", "0.01"),
                    ("distortion", "--perturbation", "brightness:-0.1,0.1"),
                    ("accuracy", "--eps", "0.01", "--out", folder / "run.db")):
        done = plumb.run(command[0], NETWORK, "--data", DATA, "--samples", "0:6", "--target", target, *command[1:],
                         "--json")
        assert done.returncode == 0 and "1 of 6 samples skipped" in done.stderr, (command, done)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [line["sample"] for line in lines if "sample" in line] == kept, (command, lines)
        single = plumb.run(command[0], NETWORK, "--data", DATA, "--sample", 1, "--target", target, *command[1:])
        assert single.returncode == 64 and "has a target as its own label" in single.stderr, (command, single)


def perturbations_are_understood_by_every_command(plumb, _):
    for spec in ("linf:0.01", "blur:3x3", "brightness:-0.01,0.01", "contrast:0.9,1.1", "patch:2,2,2,2"):
        bounds = plumb.run("bounds", NETWORK, "--data", DATA, "--sample", 7, "--perturbation", spec)
        attack = plumb.run("attack", NETWORK, "--data", DATA, "--sample", 7, "--perturbation", spec)
        assert bounds.returncode == 0 and attack.returncode in (1, 2), (spec, bounds, attack)
    union = plumb.run("attack", NETWORK, "--data", DATA, "--sample", 7, "--perturbation", "linf:0.2+blur:3x3")
    assert union.returncode == 1, union


def usage_errors_exit_with_64(plumb, _):
    for arguments in ((), ("eval", NETWORK), ("inspect",), ("eval", NETWORK, "--data", DATA, "--sample", "0",
                      "--samples", "0:2"), ("eval", NETWORK, "--data", DATA, "--precision", "half"),
                      ("bounds", NETWORK, "--data", DATA, "--eps", "-1"),
                      ("bounds", NETWORK, "--data", DATA, "--eps", "1/0"),
                      ("bounds", NETWORK, "--data", DATA, "--eps", "0.1", "--domain", "1,0"),
                      ("verify", NETWORK), ("verify", NETWORK, "--data", DATA),
                      ("verify", NETWORK, "p.vnnlib", "--eps", "0.1"), ("verify", NETWORK, "p.vnnlib", "--data", DATA),
                      ("verify", NETWORK, "--data", DATA, "--eps", "0.1", "--engine", "milp", "--tighten", "lp,interval"),
                      ("verify", NETWORK, "--data", DATA, "--eps", "0.1", "--target", "10"),
                      ("verify", NETWORK, "--data", DATA, "--eps", "0.1", "--engine", "milp", "--solver", "none"),


                      ("verify", NETWORK, "--data", DATA, "--eps", "0.1", "--solver", "none"),
                      ("bounds", NETWORK, "--data", DATA, "--perturbation", "linf:0.1+blur:3x3"),
                      ("attack", NETWORK, "--data", DATA, "--perturbation", "blur:4x4"),
                      ("attack", NETWORK, "--data", DATA, "--perturbation", "fog:3"),
                      ("attack", NETWORK, "--data", DATA, "--perturbation", "patch:15,15,4,4"),
                      ("attack", NETWORK, "--data", DATA, "--perturbation", "l1:3", "--eps", "0.1"),
                      ("distortion", NETWORK, "--data", DATA, "--perturbation", "linf:0.1+blur:3x3"),
                      ("distortion", NETWORK, "--data", DATA, "--perturbation", "blur:3x3", "--norm", "l2"),
                      ("attack", NETWORK, "--data", DATA), (*ATTACK, "--seed", "x"), (*ATTACK, "--step-size", "-1")):
        done = plumb.run(*arguments)
        assert done.returncode == 64 and done.stderr.startswith("plumb: ") and not done.stdout, (arguments, done)


def whole_numbers_that_do_not_fit_are_refused_with_the_range(plumb, _):
    """Every option of every command whose value the help calls N or K."""
    commands = re.findall(r"^  ([a-z]+) ", plumb.run("--help").stdout.partition("Subcommands:")[2], re.MULTILINE)
    options = [(command, option) for command in commands
               for option in re.findall(r"^  (--[\w-]+) [NK]\b", plumb.run(command, "--help").stdout, re.MULTILINE)]
    expected = {"--threads", "--jobs", "--sample", "--steps", "--restarts", "--seed", "--work-limit", "--gallery"}
    assert len(commands) >= 10 and {option for _, option in options} >= expected, options
    for command, option in options:
        for value in ("99999999999999999999", "-1", "18446744073709551617", "1.5", "0x10"):
            done = plumb.run(command, option, value)
            said = rf"plumb: {option}: must be a whole number from -?\d+ to \d+, not '{value}'\n"
            assert done.returncode == 64 and re.match(said, done.stderr) and not done.stdout, (command, option, done)
    done = plumb.run("eval", NETWORK, "--data", DATA, "--samples", "0:99999999999999999999")
    assert done.returncode == 64 and "99999999999999999999 is not within 0:" in done.stderr, done


CHECKS = [check for name, check in list(globals().items()) if callable(check) and check.__module__ == "__main__"
          and name not in ("Program", "main", "write_property")]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
