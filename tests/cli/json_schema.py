#!/usr/bin/env python3
"""Everything that --json prints fits docs/schema/plumb.schema.json, and docs/json.md describes that schema.

    tests/cli/json_schema.py --plumb build/release/plumb [CHECK ...]

The schema is strict: it names every key. The last checks need all records that the others have seen. They show that
each kind of record was printed, with and without each value that may be null, and that the schema refuses every one of
them once a key is removed, added, or has a value of another type.

Closing line: `N passed, N failed, N skipped`.
"""

import collections
import copy
import csv as csv_files
import functools
import json
import re
import shlex
import signal
import subprocess
import sys

import fastjsonschema
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

import regions
from accuracy_program import wait_for_results
from checks import Skipped, main
from commands_region import BOX, SIDES, property_text, small_network, written
from example import write_property
from regions import DIGITS, DIGITS_DATA, REPOSITORY, affine, csv, falling

DOCUMENT = REPOSITORY / "docs/json.md"
SCHEMA = json.loads((REPOSITORY / "docs/schema/plumb.schema.json").read_text())
DEFINITIONS = SCHEMA["definitions"]
RECORDS = [one["$ref"].rpartition("/")[2] for one in SCHEMA["oneOf"]]
DIGITS_QUESTION = (DIGITS, "--data", DIGITS_DATA)
EMPTY = {"directions": [[1.0], [0.0]], "lower": [-1, -1], "upper": [1, 1],
         "inequalities": [{"coefficients": [1, 0], "bound": -3}]}


@functools.cache
def validator(name=None):
    """Checks a record against one definition, or a line against the whole schema."""
    schema = {"$ref": f"#/definitions/{name}", "definitions": DEFINITIONS} if name else SCHEMA
    return fastjsonschema.compile({"$schema": SCHEMA["$schema"], **schema})


def is_valid(record, name=None):
    try:
        validator(name)(record)
    except fastjsonschema.JsonSchemaValueException:
        return False
    return True


def resolved(schema):
    """(the definition's name, or none; the schema) behind a reference."""
    name = schema["$ref"].rpartition("/")[2] if "$ref" in schema else None
    return name, DEFINITIONS[name] if name else schema


def alternatives(schema):
    """The kinds of values that a key may have: null, a value, or each value of a list of words."""
    if "oneOf" in schema:
        return {kind for one in schema["oneOf"] for kind in alternatives(resolved(one)[1])}
    if "enum" in schema:
        return {"null" if one is None else one for one in schema["enum"]}
    types = schema.get("type", [])
    return {"null" if one == "null" else "value" for one in (types if isinstance(types, list) else [types])}


class Program(regions.Program):
    def __init__(self, path):
        super().__init__(path)
        self.records = collections.defaultdict(list)  # name of the definition: records
        self.seen = collections.defaultdict(set)  # (definition, key): alternatives

    def check(self, name, *arguments, code=0):
        """Runs a command. Its lines must be records `name`, and the last ones may be summaries. Returns the lines. A
        code of None is any that a query can have."""
        done = self.run(*arguments, "--json")
        assert done.returncode in ((0, 1, 2) if code is None else (code,)), (arguments, done.returncode, done.stderr)
        return self.check_lines(name, done.stdout)

    def check_lines(self, name, text):
        lines = [json.loads(line) for line in text.splitlines()]
        assert lines, f"no {name}"
        family = "accuracy" if name == "stored_result" else name.partition("_")[0]
        for line in lines:
            kind = f"{family}_summary" if "summary" in line else name
            try:
                validator(kind)(line)
            except fastjsonschema.JsonSchemaValueException as error:
                raise AssertionError(f"{kind}: {error.message}") from None
            assert is_valid(line), f"{kind} fits several definitions"
            self.records[kind].append(line)
            self.note(kind, DEFINITIONS[kind], line)
        return lines

    def note(self, name, schema, value):
        """Notes which alternatives a record shows."""
        for key, one in schema["properties"].items():
            if key not in value:
                self.seen[name, key].add("absent")
            elif "properties" in one:
                self.note(f"{name}.{key}", one, value[key])
            else:
                self.note_value(name, key, one, value[key])

    def note_value(self, name, key, schema, value):
        target, schema = resolved(schema)
        word = value if "enum" in schema else "value"
        self.seen[name, key].add("null" if value is None else word)
        for one in schema.get("oneOf", []) if value is not None else []:
            if "$ref" in one:
                target, schema = resolved(one)
        if isinstance(value, dict):
            self.note(target, schema, value)
        elif isinstance(value, list) and "$ref" in schema["items"]:
            target, schema = resolved(schema["items"])
            for one in value:
                self.note(target, schema, one)


# ---- Networks and files


def chain(folder, factors, last, name):
    """One input, multiplied by the factors with a ReLU after each, then by the last ones."""
    tensors = [numpy_helper.from_array(np.array([[factor]], np.float32), f"W{k}") for k, factor in enumerate(factors)]
    tensors.append(numpy_helper.from_array(np.array([last], np.float32), "last"))
    nodes = []
    for k in range(len(factors)):
        nodes += [helper.make_node("MatMul", [f"r{k}", f"W{k}"], [f"m{k}"]),
                  helper.make_node("Relu", [f"m{k}"], [f"r{k + 1}"])]
    nodes.append(helper.make_node("MatMul", [f"r{len(factors)}", "last"], ["y"]))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("r0", TensorProto.FLOAT, [1, 1])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, len(last)])], tensors)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), folder / name)
    return str(folder / name)


def at_the_end_of_doubles(folder):
    """Outputs of up to 1.6e308 each for inputs up to 2.4, so that differences overflow."""
    return chain(folder, [3e38] * 8, [-1, 1], "edge.onnx")


def beyond_doubles(folder):
    return chain(folder, [3e38] * 9, [1, -1], "huge.onnx")


def layered(folder):
    """Random weights: 2, 6, 6 and 2 units. The first output is between 0 and 4.51 over [-1, 1] x [-1, 1]."""
    random, last = np.random.default_rng(1), "x"
    tensors, nodes = [], []
    for k, (rows, columns) in enumerate(((2, 6), (6, 6), (6, 2))):
        tensors.append(numpy_helper.from_array(random.normal(size=(rows, columns)).astype(np.float32), f"W{k}"))
        nodes.append(helper.make_node("MatMul", [last, f"W{k}"], [f"m{k}"]))
        last = f"r{k}"
        nodes.append(helper.make_node("Relu", [f"m{k}"], [last]))
    graph = helper.make_graph(nodes[:-1], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
                              [helper.make_tensor_value_info("m2", TensorProto.FLOAT, [1, 2])], tensors)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), folder / "layered.onnx")
    return str(folder / "layered.onnx")


def empty_family(folder):
    return ["--perturbation", written(folder / "empty.json", json.dumps(EMPTY))]


def unlabelled(folder):
    np.save(folder / "x.npy", np.full((3, 2), 0.25, np.float32))
    return f"npy:{folder / 'x.npy'}"


def unsafe_property(folder, *assertions, name="p.vnnlib"):
    return written(folder / name, property_text(*SIDES, *assertions))


def about_each_property(plumb, folder, name, command, *options, codes):
    """`command` about a property that holds, one that is violated, one with an empty region."""
    network = small_network(folder)  # Y_0 = |x0 - x1| <= 1, Y_1 = x0 + 2 x1 <= 2.5
    for conditions, code in zip((["(>= Y_1 4)"], ["(>= Y_1 2)"], ["(>= X_0 0.8)", "(>= Y_1 2)"]), codes):
        plumb.check(name, command, network, unsafe_property(folder, *conditions), *options, code=code)


# ---- Every command in every mode


def lines_about_networks_and_solvers(plumb, folder):
    plumb.check("inspect", "inspect", DIGITS)
    plumb.check("inspect", "inspect", small_network(folder, "Softmax"))
    plumb.check("solvers", "solvers")


def lines_of_eval(plumb, folder):
    plumb.check("eval", "eval", *DIGITS_QUESTION)
    plumb.check("eval_sample", "eval", *DIGITS_QUESTION, "--sample", 3)
    plumb.check("eval_sample", "eval", *DIGITS_QUESTION, "--sample", 3, "--precision", "float32")
    plumb.check("eval", "eval", small_network(folder), "--data", unlabelled(folder))
    plumb.check("eval_sample", "eval", small_network(folder), "--data", unlabelled(folder), "--sample", 0)


def lines_of_bounds_about_samples(plumb, folder):
    ask = functools.partial(plumb.check, "bounds_sample", "bounds")
    for method in ("interval", "linear", "alpha", "lp"):
        ask(*DIGITS_QUESTION, "--samples", "7:9", "--eps", "0.02", "--method", method)
    ask(*DIGITS_QUESTION, "--samples", "7:9", "--eps", "0.3", "--memory", "0.0003", "--threads", 1)  # too little to store the reduced network
    line, = ask(falling(folder), "--data", csv(folder, (0, 0.5)), "--eps", "0.1", "--sample", 0)
    assert line["reduced"]["rows"] >= 0, line
    ask(*DIGITS_QUESTION, "--sample", 7, "--perturbation", "brightness:-0.1,0.1")
    ask(at_the_end_of_doubles(folder), "--data", csv(folder, (0, 1.2)), "--eps", "1.2", "--domain", "-1,2.4")


def lines_of_bounds_about_files(plumb, folder):
    network = small_network(folder)
    plumb.check("bounds_part", "bounds", network, written(folder / "box.csv", BOX))
    union = "(or (and (>= X_0 0.1) (<= X_0 0.2)) (and (>= X_0 0.5) (<= X_0 0.7)))"
    lines = plumb.check("bounds_part", "bounds", network, written(folder / "u.vnnlib", property_text(union, SIDES[1])))
    assert [line["part"] for line in lines] == [0, 1], lines
    line, = plumb.check("bounds_part", "bounds", at_the_end_of_doubles(folder), written(folder / "far.csv", "-1,2.4\n"))
    assert line["outputs"][0]["lower"] is None, line
    write_property(folder / "wide.vnnlib", 9, 0.3)
    line, = plumb.check("bounds_part", "bounds", DIGITS, folder / "wide.vnnlib", "--memory", "0.0003")
    assert line["reduced"] is None, line
    many = affine(folder, [[1]] * 1001, [0] * 1001)
    line, = plumb.check("bounds_part", "bounds", many, written(folder / "one.csv", "0,1\n"))
    assert line["outputs"] is None, line


def lines_of_attack(plumb, folder):
    ask = functools.partial(plumb.check, "attack_sample", "attack")
    ask(*DIGITS_QUESTION, "--samples", "0:3", "--eps", "0.1")
    ask(*DIGITS_QUESTION, "--sample", 0, "--eps", "0.1", code=1)
    ask(*DIGITS_QUESTION, "--sample", 0, "--perturbation", "brightness:-0.01,0.01", code=2)
    ask(falling(folder), "--data", csv(folder, (0, 0.5)), *empty_family(folder))
    about_each_property(plumb, folder, "attack_property", "attack", codes=(2, 1, 0))


def lines_of_verify_about_samples(plumb, folder):
    ask = functools.partial(plumb.check, "verify_sample", "verify")
    for options in ([], ["--audit"], ["--engine", "milp"], ["--engine", "bounds"], ["--work-limit", "1"],
                    ["--target", "4,9"]):
        lines = ask(*DIGITS_QUESTION, "--samples", "0:4", "--eps", "0.1", *options)
    assert lines[-1]["summary"]["skipped"] > 0, lines[-1]
    ask(*DIGITS_QUESTION, "--sample", 0, "--eps", "0.1", code=1)
    ask(*DIGITS_QUESTION, "--sample", 7, "--eps", "0.06", "--norm", "l2")
    ask(*DIGITS_QUESTION, "--sample", 7, "--eps", "0.06", "--certificate", folder / "proof.plumb")
    ask(*DIGITS_QUESTION, "--sample", 30, "--eps", "0.15", "--work-limit", 1, "--certificate", folder / "none.plumb",
        code=2)
    ask(*DIGITS_QUESTION, "--sample", 1, "--eps", "0.1", "--engine", "bounds", "--tighten", "interval,lp", code=2)
    ask(*DIGITS_QUESTION, "--sample", 7, "--perturbation", "contrast:0.9,1.1", "--perturbation", "linf:0.01")
    ask(*DIGITS_QUESTION, "--samples", "0:2", "--eps", "0.1", "--mean", "0.1", "--std", "0.5", "--eps-scale", "0.5",
        "--scale", "1/256")
    ask(falling(folder), "--data", csv(folder, (0, 0.5)), *empty_family(folder), "--audit")
    ask(beyond_doubles(folder), "--data", csv(folder, (0, 0.5)), "--eps", "0.1")
    np.savez(folder / "last.npz", x=np.zeros((2, 16, 16, 1), np.float32), y=np.array([0, 1]))
    ask(DIGITS, "--data", f"npz:{folder / 'last.npz'}", "--layout", "hwc", "--eps", "0.01")


def lines_of_verify_about_properties(plumb, folder):
    for options in ([], ["--audit"], ["--engine", "milp"]):
        about_each_property(plumb, folder, "verify_property", "verify", *options, codes=(0, 1, 0))
    write_property(folder / "hard.vnnlib", 9, 0.15)
    plumb.check("verify_property", "verify", DIGITS, folder / "hard.vnnlib", "--engine", "bounds", code=2)
    write_property(folder / "robust.vnnlib", 9, 0.13)
    plumb.check("verify_property", "verify", DIGITS, folder / "robust.vnnlib", "--work-limit", 1, "--certificate",
                folder / "none.plumb", code=2)
    about_each_property(plumb, folder, "verify_property", "verify", "--certificate", folder / "proof.plumb",
                        codes=(0, 1, 0))


def lines_of_worst(plumb, folder):
    ask = functools.partial(plumb.check, "worst_sample", "worst")
    network, data = falling(folder), csv(folder, (0, 0.5), (0, 0.75))
    for options in ([], ["--engine", "milp"], ["--engine", "bounds"], ["--eps-scale", "0.5"], ["--target", "1"]):
        ask(network, "--data", data, "--eps", "0.1", *options)
    ask(affine(folder, [[-1], [0]], [0.55, 0], name="narrow.onnx"), "--data", data, "--eps", "0.1")
    ask(network, "--data", data, *empty_family(folder))
    ask(network, "--data", data, "--sample", 0, "--perturbation", "brightness:-0.2,0.1")
    ask(beyond_doubles(folder), "--data", data, "--eps", "0.1")
    ask(beyond_doubles(folder), "--data", data, "--eps", "0.1", "--sample", 0, code=2)
    about_each_property(plumb, folder, "worst_property", "worst", codes=(0, 0, 0))
    about_each_property(plumb, folder, "worst_property", "worst", "--engine", "milp", codes=(0, 0, 0))
    write_property(folder / "hard.vnnlib", 9, 0.14)
    plumb.check("worst_property", "worst", DIGITS, folder / "hard.vnnlib", "--engine", "bounds", code=2)


def lines_of_distortion(plumb, folder):
    ask = functools.partial(plumb.check, "distortion_sample", "distortion")
    network, data = affine(folder, [[-1], [0]], [0.75, 0]), csv(folder, (0, 0.5), (0, 0.25))
    for options in ([], ["--engine", "milp"], ["--engine", "bounds"], ["--norm", "l1"], ["--norm", "l2"],
                    ["--eps-scale", "2"]):
        ask(network, "--data", data, *options)
    ask(falling(folder), "--data", data)  # no label changes in the domain
    ask(falling(folder), "--data", data, "--sample", 0, "--perturbation", "contrast:0.9,1.1")
    ask(*DIGITS_QUESTION, "--sample", 7, "--perturbation", "contrast:0,3")
    ask(*DIGITS_QUESTION, "--sample", 7, "--engine", "bounds", code=2)
    for options in ([], ["--norm", "l1"], ["--norm", "l2"], ["--engine", "milp"], ["--engine", "bounds"],
                    ["--from", written(folder / "point.csv", "0.2,0.3\n")]):
        about_each_property(plumb, folder, "distortion_property", "distortion", *options, codes=(0, 0, 0))


def lines_of_range(plumb, folder):
    network, box = small_network(folder), written(folder / "box.csv", BOX)
    for options, code in (([], 0), (["--engine", "milp"], 0), (["--engine", "bounds"], 2)):
        plumb.check("range", "range", network, box, *options, code=code)
    plumb.check("range", "range", network, box, "--objective", "Y_0 - 0.1*X_1")
    plumb.check("range", "range", network, unsafe_property(folder, "(>= X_0 0.8)"), "-q")
    plumb.check("range", "range", beyond_doubles(folder), written(folder / "far.csv", "-1,1\n"), code=2)


def lines_of_accuracy_and_show(plumb, folder):
    store = folder / "run.db"
    question = ["accuracy", *DIGITS_QUESTION, "--samples", "0:3", "--eps", "0.05,0.1", "--out", store]
    for options in (["--engine", "milp"], ["--rerun", "all", "--pgd"], ["--rerun", "all"],
                    ["--rerun", "all", "--pgd", "--work-limit", "1"], ["--rerun", "all", "--engine", "bounds"],
                    ["--rerun", "all", "--pgd", "--engine", "milp"]):
        lines = plumb.check("stored_result", *question, *options)
        assert len([line for line in lines if "summary" in line]) == 2, lines
    plumb.check("stored_result", "show", store)
    for sample in range(3):
        plumb.check("shown_sample", "show", store, "--sample", sample)


def lines_that_rest_on_a_solvers_claims(plumb, folder):
    network, box = layered(folder), written(folder / "box.csv", "-1,1\n")
    sides = [f"(and (>= X_{k} -1) (<= X_{k} 1))" for k in (0, 1)]
    safe = written(folder / "safe.vnnlib", property_text(*sides, "(>= Y_0 6)"))
    unsafe = written(folder / "unsafe.vnnlib", property_text(*sides, "(>= Y_0 4)"))
    tightened = ["--tighten", "interval,milp", "--engine"]
    plumb.check("verify_property", "verify", network, safe, *tightened, "bounds")
    plumb.check("range", "range", network, box, "--output", 0, *tightened, "milp", code=None)
    plumb.check("worst_property", "worst", network, safe, *tightened, "milp")
    plumb.check("distortion_property", "distortion", network, unsafe, *tightened, "milp")
    samples = ["--data", csv(folder, (0, 0.5, 0.5)), "--domain", "-1,1"]
    ball = [network, *samples, "--eps", "0.2"]
    plumb.check("verify_sample", "verify", *ball, *tightened, "bounds")
    plumb.check("worst_sample", "worst", *ball, *tightened, "milp")
    plumb.check("distortion_sample", "distortion", network, *samples, *tightened, "milp")
    for _ in range(2):
        plumb.check("stored_result", "accuracy", *ball, *tightened, "bounds", "--rerun", "all", "--out", folder / "run.db")
    plumb.check("shown_sample", "show", folder / "run.db", "--sample", 0)


def lines_of_stores_of_every_kind(plumb, folder):
    def ask(samples, *options):
        store = folder / f"{len(list(folder.glob('*.db')))}.db"
        plumb.check("stored_result", "accuracy", *DIGITS_QUESTION, "--samples", samples, *options, "--out", store)
        for sample in range(*map(int, samples.split(":"))):
            if "--target" not in options:
                plumb.check("shown_sample", "show", store, "--sample", sample)
    ask("0:6", "--eps", "0.12", "--work-limit", 1)
    ask("0:1", "--eps", "0.05", "--engine", "bounds")
    ask("1:3", "--eps", "0.05", "--norm", "l1")
    ask("1:3", "--eps", "0.05", "--norm", "l2")
    ask("1:3", "--eps", "0.05", "--eps-scale", "0.5")
    ask("1:3", "--eps", "0.05", "--domain", "none")
    ask("0:9", "--eps", "0.05", "--target", "3,5")
    ask("0:2", "--perturbation", "brightness:-0.1,0.1")


def lines_of_a_merged_store(plumb, folder):
    stores = [folder / "a.db", folder / "b.db"]
    for store, samples in zip(stores, ("0:2", "1:3")):
        plumb.check("stored_result", "accuracy", *DIGITS_QUESTION, "--samples", samples, "--eps", "0.05", "--out",
                    store)
    done = plumb.run("merge", *stores, "-o", folder / "both.db")
    assert done.returncode == 0, done.stderr
    assert len(plumb.check("stored_result", "show", folder / "both.db")) == 3
    plumb.check("shown_sample", "show", folder / "both.db", "--sample", 1)


def lines_of_an_interrupted_run(plumb, folder):
    store = folder / "run.db"
    arguments = ["accuracy", *DIGITS_QUESTION, "--eps", "0.06,0.1", "--out", store, "--jobs", "1", "--json", "-q"]
    process = subprocess.Popen([plumb.path, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    wait_for_results(store, 5)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 130, process.returncode
    lines = plumb.check_lines("stored_result", text)
    assert lines[-1]["summary"]["interrupted"] and lines[-1]["summary"]["pending"] > 0, lines[-1]


# ---- Whether these checks can fail


# Words that the runs above do not print, and why.
NOT_SHOWN = {
    "real only": "depends on how a witness rounds",
    "float only": "needs a network that is too large for exact arithmetic",
}


def need_all(plumb):
    missing = [name for name in RECORDS if not plumb.records[name]]
    if missing and len(missing) > len(RECORDS) / 2:
        raise Skipped("needs the records of the other checks")
    assert not missing, f"never printed: {missing}"


def schema_at(name):
    """Of an object: "verify_summary.summary"."""
    record, *inner = name.split(".")
    return functools.reduce(lambda at, key: at["properties"][key], inner, DEFINITIONS[record])


def every_alternative_of_the_schema_was_printed(plumb, _):
    need_all(plumb)
    missing = []
    for (name, key), seen in sorted(plumb.seen.items()):
        schema = schema_at(name)
        wanted = alternatives(resolved(schema["properties"][key])[1]) | (set() if key in schema["required"] else {"absent"})
        missing += [f"{name}.{key}: {word}" for word in map(str, wanted - seen - NOT_SHOWN.keys())]
    assert not missing, missing


def places(value, path=()):
    """(the path, the value) of a record and everything in it, of lists only the first element."""
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def at(record, path):
    return functools.reduce(lambda inner, key: inner[key], path, record)


def wrong_values(value):
    """Values of another type. A number, a text or true may stand where null does."""
    others = [{"surprise": 1}, [[]]] + ([] if value is None else [True, "surprise", 0.5])
    both_numbers = isinstance(value, int | float) and not isinstance(value, bool)
    return [other for other in others if type(other) is not type(value) and not (both_numbers and other == 0.5)]


def doctored(record):
    """(what was done, the record with one key removed, added, or with a value of another type)"""
    for path, value in places(record):
        if isinstance(value, dict):
            other = copy.deepcopy(record)
            at(other, path)["surprise"] = 1
            yield f"added to {path}", other
        if path and isinstance(path[-1], str):
            other = copy.deepcopy(record)
            del at(other, path[:-1])[path[-1]]
            yield f"removed {path}", other
            for wrong in wrong_values(value):
                other = copy.deepcopy(record)
                at(other, path[:-1])[path[-1]] = wrong
                yield f"{path} is {wrong}", other


def the_schema_refuses_every_record_that_was_changed(plumb, _):
    need_all(plumb)
    accepted, count = [], 0
    for name in RECORDS:
        for record in (plumb.records[name][0], plumb.records[name][-1]):
            for what, other in doctored(record):
                count += 1
                if is_valid(other, name):
                    accepted.append(f"{name}: {what}")
    assert not accepted, accepted
    assert count > 2000, count


def the_schema_refuses_verdicts_without_their_evidence(plumb, _):
    need_all(plumb)
    for name in ("verify_sample", "verify_property", "stored_result", "attack_sample", "attack_property"):
        for record in plumb.records[name][:20]:
            for verdict, evidence in (("holds", "exact"), ("holds", None), ("violated", "rigorous"),
                                      ("unknown", "exact"), ("robust", "rigorous"), ("violated", "certain")):
                wrong = {**record, "verdict": verdict, "evidence": evidence}
                assert not is_valid(wrong, name), (name, verdict, evidence)
            for key in ("seconds", "sample", "distance"):
                assert key not in record or not is_valid({**record, key: -1}, name), (name, key)


# ---- The document


def keys_in_the_schema(schema, prefix=""):
    for key, one in schema["properties"].items():
        yield from keys_in_the_schema(one, f"{prefix}{key}.") if "properties" in one else [prefix + key]


def documented_keys(text):
    """{record or object: keys} of the tables in the document."""
    parts = re.split(r"^### (\w+)\n", text, flags=re.M)
    return {name: re.findall(r"^\| `([\w.]+)` \|", part, re.M) for name, part in zip(parts[1::2], parts[2::2])}


def the_document_has_the_keys_of_the_schema_and_no_others(_, folder):
    text = DOCUMENT.read_text()
    keys = {name: list(keys_in_the_schema(one)) for name, one in DEFINITIONS.items() if one.get("type") == "object"}
    documented = documented_keys(text)
    for name in keys.keys() | documented.keys():
        assert documented.get(name) == keys.get(name), (name, documented.get(name), keys.get(name))
    # The meanings are those of the schema, too; and a table that is not up to date is noticed.
    tables = [sys.executable, REPOSITORY / "scripts/json-tables", "--check"]
    assert subprocess.run(tables).returncode == 0
    row = "| `records` |"
    assert text.count(row) == 1
    for other in (text.replace(row, "| `steps` |"), re.sub(rf"^{re.escape(row)}.*\n", "", text, flags=re.M),
                  text.replace(row, f"| `more` | integer | More. |\n{row}")):
        copied = written(folder / "json.md", other)
        assert documented_keys(other) != documented
        assert subprocess.run([*tables, copied], capture_output=True).returncode == 1


def descriptions_are_sentences(_, __):
    def check(schema, name):
        if "$ref" in schema:
            return
        assert schema.get("description"), name
        for key, one in schema.get("properties", {}).items():
            check(one, f"{name}.{key}")
            assert schema.get("additionalProperties") is False, name
            assert "$ref" in one or "properties" in one or one["description"].endswith("."), f"{name}.{key}"
    for name, one in DEFINITIONS.items():
        check(one, name)


def close(a, b):
    """Equal up to numbers that differ from machine to machine."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) or key.endswith("seconds") for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-6 * (1 + abs(a))
    return a == b


def the_example_in_the_document_is_what_the_program_prints(plumb, _):
    text = DOCUMENT.read_text()
    command, shown = re.search(r"^    \$ build/release/plumb (verify .*)\n((?:    .*\n)+)", text, re.M).groups()
    example = json.loads(shown)
    assert is_valid(example, "verify_sample")
    done = subprocess.run([plumb.path, *shlex.split(command)], cwd=REPOSITORY, capture_output=True, text=True)
    assert close(example, json.loads(done.stdout)), (example, done.stdout)


def the_columns_of_csv_are_documented(plumb, folder):
    store = folder / "run.db"
    plumb.run("accuracy", *DIGITS_QUESTION, "--samples", "0:2", "--eps", "0.1", "--out", store)
    columns = next(csv_files.reader(plumb.run("show", store, "--csv").stdout.splitlines()))
    section = DOCUMENT.read_text().partition("## CSV")[2].partition("\n## ")[0]
    lines = [json.loads(line) for line in plumb.run("show", store, "--json").stdout.splitlines()]
    rows = list(csv_files.DictReader(plumb.run("show", store, "--csv").stdout.splitlines()))
    for row, line in zip(rows, lines, strict=True):
        assert (row["verdict"], row["evidence"]) == (line["verdict"], line["evidence"] or ""), (row, line)
    assert {"holds", "violated"} <= {line["verdict"] for line in lines}, lines
    documented = [name for cell in re.findall(r"^\| (`.*?) \|", section, re.M) for name in re.findall(r"`(\w+)`", cell)]
    assert documented == columns, (documented, columns)


CHECKS = [lines_about_networks_and_solvers, lines_of_eval, lines_of_bounds_about_samples, lines_of_bounds_about_files,
          lines_of_attack, lines_of_verify_about_samples, lines_of_verify_about_properties, lines_of_worst,
          lines_of_distortion, lines_of_range, lines_of_accuracy_and_show,
          lines_that_rest_on_a_solvers_claims, lines_of_stores_of_every_kind,
          lines_of_a_merged_store, lines_of_an_interrupted_run, every_alternative_of_the_schema_was_printed,
          the_schema_refuses_every_record_that_was_changed, the_schema_refuses_verdicts_without_their_evidence,
          the_document_has_the_keys_of_the_schema_and_no_others, descriptions_are_sentences,
          the_example_in_the_document_is_what_the_program_prints, the_columns_of_csv_are_documented]

if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
