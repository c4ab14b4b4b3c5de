#!/usr/bin/env python3
"""Regions of queries about samples: regions that exclude the sample, samples outside the domain, empty regions, labels
over several outputs, radii with many digits, memory limits.

    tests/cli/regions.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import fractions
import json
import pathlib
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

from checks import main

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DIGITS = str(REPOSITORY / "examples/digits/digits.onnx")
DIGITS_DATA = f"mnist:{REPOSITORY / 'examples/digits'}"
COMMANDS = ("bounds", "attack", "verify", "worst", "accuracy", "distortion")


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=120)

    def lines(self, *arguments):
        done = self.run(*arguments, "--json", "-q")
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    def ask(self, command, folder, network, data, *options):
        """A command about samples, with its required options."""
        if command == "accuracy":
            options = [*options, "--out", folder / f"run{len(list(folder.iterdir()))}.db"]
        return self.lines(command, network, "--data", data, *options)


def affine(folder, weights, constants, outputs=("y",), name="net.onnx"):
    """y = W x + c, in one output or split evenly into several."""
    weights, constants = np.array(weights, np.float32), np.array(constants, np.float32)
    rows = len(constants) // len(outputs)
    nodes, tensors, declared = [], [], []
    for k, output in enumerate(outputs):
        part = slice(k * rows, (k + 1) * rows)
        tensors += [numpy_helper.from_array(weights[part].T.copy(), f"W{k}"), numpy_helper.from_array(constants[part], f"c{k}")]
        nodes.append(helper.make_node("Gemm", ["x", f"W{k}", f"c{k}"], [output], name=f"dense{k}"))
        declared.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, rows]))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, weights.shape[1]])],
                              declared, tensors)
    path = folder / name
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
    return str(path)


def csv(folder, *rows, name="data.csv"):
    """Each row: the label, then the values."""
    (folder / name).write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    return f"csv:{folder / name}"


def falling(folder):
    """Label 0 for x < 1.125: misclassified at 1.25, safe with a margin of at least 0.125 on all of [0, 1]."""
    return affine(folder, [[-1], [0]], [1.125, 0])


def a_sample_outside_of_the_domain_is_refused_by_every_command(plumb, folder):
    network, data = falling(folder), csv(folder, (0, 0.5), (0, 1.25))
    for command in COMMANDS:
        radius = [] if command == "distortion" else ["--eps", "0.3"]
        done, lines = plumb.ask(command, folder, network, data, *radius)
        assert done.returncode == 65 and not lines, (command, done)
        for words in ("sample 1 has the value 1.25 at position 0", "--domain 0,1 (the default)", "from 1.25 to 1.25",
                      "--domain LO,HI"):
            assert words in done.stderr, (command, words, done.stderr)
        assert not list(folder.glob("*.db")), "a store was begun"
        assert plumb.ask(command, folder, network, data, *radius, "--sample", 0)[0].returncode in (0, 1, 2), command
        done, _ = plumb.ask(command, folder, network, data, *radius, "--domain", "0,1.25")
        assert done.returncode == 0, (command, done.stderr)
        for store in folder.glob("*.db*"):
            store.unlink()


def bytes_that_were_not_scaled_are_recognised(plumb, folder):
    data = csv(folder, (0, 17))
    done, _ = plumb.ask("verify", folder, falling(folder), data, "--eps", "0.1")
    assert done.returncode == 65 and "--scale 1/255" in done.stderr, done.stderr
    done, _ = plumb.ask("verify", folder, falling(folder), data, "--eps", "0.1", "--scale", "1/255")
    assert done.returncode == 0, done.stderr


def the_domain_does_not_matter_to_families_that_leave_it(plumb, folder):
    network, data = falling(folder), csv(folder, (0, 1.25))
    for family, verdict in (("brightness:-0.3,-0.2", "holds"), ("brightness:-0.3,0", "violated")):
        _, [line] = plumb.ask("verify", folder, network, data, "--perturbation", family, "--sample", 0)
        assert line["verdict"] == verdict, line


def a_misclassified_sample_is_no_witness_of_a_region_that_leaves_it_out(plumb, folder):
    network, data = falling(folder), csv(folder, (0, 1.25))
    family = ["--perturbation", "brightness:-0.5,-0.25"]  # 0.75 to 1: robust, with a margin of at least 0.125
    _, [verify] = plumb.ask("verify", folder, network, data, *family, "--sample", 0)
    _, [attack] = plumb.ask("attack", folder, network, data, *family, "--sample", 0)
    _, [worst] = plumb.ask("worst", folder, network, data, *family, "--sample", 0)
    _, [accuracy, summary] = plumb.ask("accuracy", folder, network, data, *family)
    assert verify["verdict"] == accuracy["verdict"] == "holds" and attack["verdict"] == "unknown", (verify, attack)
    assert worst["lower"] > 0.124, worst
    # The sample is misclassified nevertheless.
    assert accuracy["misclassified"] and summary["summary"]["test_error"] == 1, (accuracy, summary)
    assert summary["summary"]["robust"] == 1 and summary["summary"]["error_upper"] == 0, summary
    _, [_, summary] = plumb.ask("verify", folder, network, data, *family)
    assert summary["summary"]["misclassified"] == 1 and summary["summary"]["robust"] == 1, summary
    shown = plumb.run("show", next(folder.glob("*.db")))
    assert "robust" in shown.stdout and "misclassified" not in shown.stdout, shown.stdout


def a_misclassified_sample_in_its_region_is_the_witness(plumb, folder):
    network, data = falling(folder), csv(folder, (0, 1.25))
    corner = {"directions": [[1.0], [0.5]], "lower": [-1, -1], "upper": [1, 1],
              "inequalities": [{"coefficients": [1, 1], "bound": 0}]}
    (folder / "corner.json").write_text(json.dumps(corner))
    for region in (["--eps", "0", "--domain", "0,2"], ["--perturbation", "brightness:-0.3,0"],
                   ["--perturbation", folder / "corner.json"]):
        for command in ("verify", "attack"):
            _, [line] = plumb.ask(command, folder, network, data, *region, "--sample", 0)
            assert (line["verdict"], line["reason"], line["witness"], line["distance"]) == (
                "violated", "misclassified", [1.25], 0), (region, line)


def a_target_that_only_ties_is_what_the_sample_becomes(plumb, folder):
    # Labels 1 and 2 tie everywhere and beat 0. The answer must name the one that is the target.
    network, data = affine(folder, [[0], [0], [0]], [0, 1, 1]), csv(folder, (0, 0.5))
    _, [line] = plumb.ask("verify", folder, network, data, "--eps", "0.1", "--target", "2", "--sample", 0)
    assert line["verdict"] == "violated" and line["predicted"] == 2, line
    _, [line] = plumb.ask("worst", folder, network, data, "--eps", "0.1", "--target", "2", "--sample", 0)
    assert line["other"] == line["predicted"] == 2 and line["lower"] <= 0 <= line["upper"], line


def a_targeted_margin_is_between_the_best_label_that_is_no_target_and_the_best_target(plumb, folder):
    # At every point the outputs are 0, 5, 2, 3: label 1 is ahead of the targets 2 and 3 by 2.
    network, data = affine(folder, [[0]] * 4, [0, 5, 2, 3]), csv(folder, (0, 0.5))
    _, [line] = plumb.ask("worst", folder, network, data, "--eps", "0.1", "--target", "2,3", "--sample", 0)
    assert line["lower"] <= 2 <= line["upper"] and line["upper"] - line["lower"] < 1e-3, line
    assert line["other"] == 3 and line["predicted"] == 1, line
    _, [line] = plumb.ask("verify", folder, network, data, "--eps", "0.1", "--target", "2,3", "--sample", 0)
    assert line["verdict"] == "holds", line


def an_empty_family_is_called_that(plumb, folder):
    network, data = falling(folder), csv(folder, (0, 0.5))
    empty = {"excluded by one inequality": [[1, 0, -3]], "by two of them together": [[1, 0, 0.2], [-1, 0, -0.5]],
             "by three": [[1, 1, 0.2], [-1, 1, 0.2], [0, -1, -0.5]]}
    for what, rows in empty.items():
        (folder / "family.json").write_text(json.dumps({
            "directions": [[1.0], [0.0]], "lower": [-1, -1], "upper": [1, 1],
            "inequalities": [{"coefficients": row[:2], "bound": row[2]} for row in rows]}))
        family = ["--perturbation", folder / "family.json"]
        for command in ("verify", "accuracy"):
            _, lines = plumb.ask(command, folder, network, data, *family)
            assert lines[0]["verdict"] == "holds" and lines[0]["reason"] == "the region is empty", (what, lines)
        _, [line] = plumb.ask("verify", folder, network, data, *family, "--sample", 0, "--audit")
        assert line["reason"] == "the region is empty", (what, line)
        _, [line] = plumb.ask("attack", folder, network, data, *family, "--sample", 0)
        assert line["verdict"] == "unknown" and line["reason"] == "the region is empty", (what, line)
        _, [line, summary] = plumb.ask("worst", folder, network, data, *family)
        assert line["reason"] == "the region is empty" and line["lower"] is line["upper"] is line["witness"] is None
        assert "e+308" not in plumb.run("worst", network, "--data", data, *family).stdout
        for command in ("bounds", "distortion"):
            done, lines = plumb.ask(command, folder, network, data, *family)
            assert done.returncode == 65 and not lines and "the region is empty" in done.stderr, (command, what, done)


def labels_over_several_outputs_are_noted_once(plumb, folder):
    network = affine(folder, [[0]] * 4, [3, 2, 1, 0], outputs=("first", "second"))
    data = csv(folder, (0, 0.5), (3, 0.5))
    for command in ("eval", *COMMANDS):
        options = [] if command in ("eval", "distortion") else ["--eps", "0.1"]
        options += ["--out", folder / "run.db"] if command == "accuracy" else []
        options += ["--domain", "none"] if command == "distortion" else []
        options += ["--timeout", "5"] if command == "distortion" else []
        done = plumb.run(command, network, "--data", data, *options)
        notes = [line for line in done.stderr.splitlines() if "labels 0 to 3 are counted over all of them" in line]
        assert done.returncode == 0 and len(notes) == 1 and "'first' (2), 'second' (2)" in notes[0], (command, done)
        assert "note" not in plumb.run(command, network, "--data", data, *options, "-q").stderr


def radii_of_many_digits_are_exact(plumb, folder):
    # The label changes at a distance of 1/4.
    network, data = affine(folder, [[-1], [0]], [0.75, 0]), csv(folder, (0, 0.5))
    def verdict(epsilon):
        done, lines = plumb.ask("verify", folder, network, data, "--eps", epsilon, "--sample", 0)
        assert lines, done.stderr
        return lines[0]["verdict"]
    assert verdict("1e-30") == "holds" and verdict("0.25" + 60 * "0") == "violated"
    assert verdict("0.25" + 30 * "0" + "1") == "violated"
    assert verdict("0.2" + 30 * "4") == "holds"
    done = plumb.run("verify", network, "--data", data, "--eps", "1e-50")
    assert done.returncode == 64 and "more than 38 digits" in done.stderr, done.stderr


def a_limit_of_memory_that_cannot_be_kept_is_refused_with_the_least_that_works(plumb, _):
    for command in ("verify", "bounds", "worst"):
        question = [command, DIGITS, "--data", DIGITS_DATA, "--sample", 7, "--eps", "0.06", "-q", "--memory"]
        done = plumb.run(*question, "0.000001")
        assert done.returncode == 64 and "--memory: 1e-06 GiB is less than" in done.stderr, done.stderr
        least = done.stderr.split("give at least ")[1].strip()
        assert plumb.run(*question, least).returncode == 0, least


def ends_of_intervals_are_printed_outward(plumb, _):
    question = ["--data", DIGITS_DATA, "--samples", "0:2", "-q"]
    for command, options in (("worst", ["--eps", "0.06"]), ("distortion", ["--perturbation", "contrast:0.5,2"])):
        lines = [json.loads(line) for line in plumb.run(command, DIGITS, *question, *options, "--json").stdout.splitlines()]
        table = [row.split() for row in plumb.run(command, DIGITS, *question, *options).stdout.splitlines()[2:4]]
        for line, row in zip(lines, table, strict=False):
            if line["upper"] is None:
                continue
            # Compared as exact numbers. Numbers in JSON are off by at most one unit in the last place.
            slack = fractions.Fraction(abs(line["upper"])) / 2 ** 52
            assert fractions.Fraction(row[2]) <= fractions.Fraction(line["lower"]) + slack, (line, row)
            assert fractions.Fraction(row[3]) >= fractions.Fraction(line["upper"]) - slack, (line, row)


CHECKS = [a_sample_outside_of_the_domain_is_refused_by_every_command, bytes_that_were_not_scaled_are_recognised,
          the_domain_does_not_matter_to_families_that_leave_it,
          a_misclassified_sample_is_no_witness_of_a_region_that_leaves_it_out,
          a_misclassified_sample_in_its_region_is_the_witness, a_target_that_only_ties_is_what_the_sample_becomes,
          a_targeted_margin_is_between_the_best_label_that_is_no_target_and_the_best_target,
          an_empty_family_is_called_that, labels_over_several_outputs_are_noted_once, radii_of_many_digits_are_exact,
          a_limit_of_memory_that_cannot_be_kept_is_refused_with_the_least_that_works,
          ends_of_intervals_are_printed_outward]

if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
