#!/usr/bin/env python3
"""Questions in the units of the data: networks with a normalisation, and a radius or domain for each channel or input.

    tests/cli/units.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, save

from checks import main
from regions import DIGITS, DIGITS_DATA, Program, affine, csv

MEAN, DEVIATION = "0.1307", "0.3081"


def unnormalised_digits(folder):
    """The digits network for inputs that have been normalised: it undoes that first."""
    model = onnx.load(DIGITS)
    graph, name = model.graph, model.graph.input[0].name
    for node in graph.node:
        for i, used in enumerate(node.input):
            if used == name:
                node.input[i] = "raw"
    graph.initializer.extend([numpy_helper.from_array(np.array(value, np.float32), text)
                              for text, value in (("std", DEVIATION), ("mean", MEAN))])
    graph.node.insert(0, helper.make_node("Add", ["scaled", "mean"], ["raw"]))
    graph.node.insert(0, helper.make_node("Mul", [name, "std"], ["scaled"]))
    path = folder / "normalised.onnx"
    save(model, path)
    return str(path)


def colours(folder, weights=(1, 1, 1)):
    """Label 0 as long as the mean of all channels, each with its weight, is below zero; 3 x 2 x 2 inputs."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 2, 2])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])
    matrix = np.zeros((12, 2), np.float32)
    matrix[:, 1] = np.repeat(np.array(weights, np.float32) / 4, 4)
    graph = helper.make_graph([helper.make_node("Flatten", ["x"], ["flat"]),
                               helper.make_node("MatMul", ["flat", "W"], ["y"])], "g", [x], [y],
                              [numpy_helper.from_array(matrix, "W")])
    path = folder / "colours.onnx"
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
    return str(path)


def a_normalised_network_gets_the_answers_of_the_plain_one(plumb, folder):
    normalised = unnormalised_digits(folder)
    numbers = ["--mean", MEAN, "--std", DEVIATION]
    for command, options in (("verify", ["--eps", "0.06"]), ("worst", ["--eps", "0.06"]), ("bounds", ["--eps", "0.06"]),
                             ("verify", ["--perturbation", "brightness:-0.2,0.2"]), ("attack", ["--eps", "0.1"]), ("eval", [])):
        question = [command, DIGITS, "--data", DIGITS_DATA, "--samples", "0:8", *options]
        _, plain = plumb.lines(*question)
        question[1] = normalised
        done, lines = plumb.lines(*question, *numbers)
        assert done.returncode == 0 and len(lines) == len(plain), (command, done.stderr)
        for a, b in zip(plain, lines, strict=True):
            assert a.get("verdict") == b.get("verdict") and a.get("errors") == b.get("errors"), (command, a, b)
            if a.get("upper") is not None:  # the constants of the network are float32 numbers, those written are not
                assert abs(a["upper"] - b["upper"]) <= 1e-4 * (1 + abs(a["upper"])), (command, a, b)
    # Without the numbers it is another network.
    _, lines = plumb.lines("eval", normalised, "--data", DIGITS_DATA)
    assert lines[0]["error"] > 0.05, lines


def witnesses_of_a_normalised_network_fool_it_in_another_run_time(plumb, folder):
    normalised = unnormalised_digits(folder)
    session = onnxruntime.InferenceSession(normalised)
    name = session.get_inputs()[0].name
    _, lines = plumb.lines("verify", normalised, "--data", DIGITS_DATA, "--samples", "0:40", "--eps", "0.1", "--mean",
                           MEAN, "--std", DEVIATION)
    witnesses = [line for line in lines if line.get("witness")]
    assert len(witnesses) > 2, lines
    for line in witnesses:
        pixels = np.array(line["witness"], np.float32).reshape(1, 1, 16, 16)
        assert pixels.min() >= 0 and pixels.max() <= 1, "a witness leaves the domain of the data"
        normal = (pixels - np.float32(MEAN)) / np.float32(DEVIATION)
        assert int(session.run(None, {name: normal})[0].argmax()) == line["predicted"] != line["label"], line


def usual_numbers_have_names(plumb, folder):
    normalised = unnormalised_digits(folder)
    by_name = plumb.lines("eval", normalised, "--data", DIGITS_DATA, "--mean", "mnist", "--std", "mnist")[1]
    by_number = plumb.lines("eval", normalised, "--data", DIGITS_DATA, "--mean", MEAN, "--std", DEVIATION)[1]
    assert by_name[0]["errors"] == by_number[0]["errors"], (by_name, by_number)


def half_a_normalisation_gets_a_notice(plumb, folder):
    data, network = csv(folder, (0, 0.5, 0.5)), affine(folder, [[1, 0], [0, 1]], [1, 0])
    for options, words in ((["--mean", "0.5"], "--std is not given: the network takes x - mean"),
                           (["--std", "2"], "--mean is not given: the network takes x / std")):
        assert words in plumb.run("eval", network, "--data", data, *options).stderr, options
        assert words not in plumb.run("eval", network, "--data", data, *options, "-q").stderr, options


def numbers_that_do_not_fit_are_refused(plumb, folder):
    data = csv(folder, (0, 0.5, 0.5))
    network = affine(folder, [[1, 0], [0, 1]], [1, 0])
    for options, words in ((["--mean", "0.1,0.2,0.3"], "--mean: 3 values for a network of 2 inputs"),
                           (["--std", "1,0"], "--std: "), (["--std", "-1"], "--std: "),
                           (["--mean", "cifar11"], "cifar11"), (["--mean", folder / "none.txt"], "none.txt"),
                           (["--domain", "0,1;0,1;0,1"], "--domain: 3 values for a network of 2 inputs"),
                           (["--eps-scale", "1,2,3"], "--eps-scale: 3 values"),
                           (["--eps-scale", "1,2", "--norm", "l2"], "--eps-scale: only balls of the l-infinity norm")):
        done = plumb.run("verify", network, "--data", data, "--eps", "0.1", *options)
        assert done.returncode in (64, 66) and words in done.stderr and not done.stdout, (options, done)


def each_channel_has_its_own_radius_domain_and_normalisation(plumb, folder):
    # The least value is reached by moving every pixel down, each by the radius of its channel.
    np.save(folder / "x.npy", np.full((1, 3, 2, 2), 0.5, np.float32))
    np.save(folder / "y.npy", np.array([1]))
    data, network = f"npy:{folder / 'x.npy'},{folder / 'y.npy'}", colours(folder)
    def least(*options):
        done, lines = plumb.lines("worst", network, "--data", data, "--sample", 0, *options)
        assert lines, done.stderr
        assert lines[0]["upper"] - lines[0]["lower"] <= 1e-4, lines
        return lines[0]["lower"]
    assert abs(least("--eps", "0.1") - 1.2) < 1e-3
    assert abs(least("--eps", "0.1", "--eps-scale", "1,2,3") - 0.9) < 1e-3
    assert abs(least("--eps", "1", "--eps-scale", "0.1,0.2,0.3") - 0.9) < 1e-3
    assert abs(least("--eps", "0.4", "--domain", "0,1;0.25,1;0.5,1") - (0.1 + 0.25 + 0.5)) < 1e-3
    assert abs(least("--eps", "0.1", "--mean", "0.1,0.2,0.3", "--std", "1,2,4") - (0.3 + 0.2 / 2 + 0.1 / 4)) < 1e-3
    (folder / "scale.txt").write_text("# red\n1\n2\n3\n")
    assert abs(least("--eps", "0.1", "--eps-scale", folder / "scale.txt") - 0.9) < 1e-3


def distances_are_in_units_of_the_scale(plumb, folder):
    # The label changes where x0 + x1 < 0.5. With scales 1 and 3 both move together: 1 - r - 3 r = 0.5.
    network, data = affine(folder, [[1, 1], [0, 0]], [-0.5, 0]), csv(folder, (0, 0.5, 0.5))
    _, [line] = plumb.lines("distortion", network, "--data", data, "--sample", 0, "--eps-scale", "1,3")
    assert line["exact"] and abs(line["upper"] - 0.125) < 1e-6 and line["lower"] <= 0.125 <= line["upper"] + 1e-7, line
    _, [line] = plumb.lines("verify", network, "--data", data, "--sample", 0, "--eps", "0.13", "--eps-scale", "1,3")
    assert line["verdict"] == "violated" and line["distance"] <= 0.13000001, line
    _, [line] = plumb.lines("verify", network, "--data", data, "--sample", 0, "--eps", "0.12", "--eps-scale", "1,3",
                            "--audit")
    assert line["verdict"] == "holds", line
    # The network takes (x - 1/4) / (1/2) here, so that the label changes where x0 + x1 < 3/4.
    _, [line] = plumb.lines("distortion", network, "--data", data, "--sample", 0, "--mean", "1/4", "--std", "1/2")
    assert line["exact"] and abs(line["upper"] - 0.125) < 1e-6, line
    done = plumb.run("distortion", network, "--data", data, "--eps-scale", "1,3", "--minimise")
    assert done.returncode == 64 and "--minimise" in done.stderr, done


def a_store_is_about_one_normalisation_and_one_scale(plumb, folder):
    normalised, store = unnormalised_digits(folder), folder / "run.db"
    question = ["accuracy", normalised, "--data", DIGITS_DATA, "--samples", "0:20", "--eps", "0.06", "--out", store]
    numbers = ["--mean", MEAN, "--std", DEVIATION]
    done = plumb.run(*question, *numbers)
    assert done.returncode == 0, done.stderr
    assert plumb.run(*question, *numbers, "-q").returncode == 0
    for other in ([], ["--mean", "0.5", "--std", DEVIATION], [*numbers, "--eps-scale", "1/2"]):
        assert plumb.run(*question, *other).returncode == 65, other
    done = plumb.run("report", store, "-o", folder / "page.html")
    assert done.returncode == 0 and "not the network" not in done.stderr, done.stderr


def a_radius_that_covers_the_domain_gets_a_notice(plumb, folder):
    question = ["verify", DIGITS, "--data", DIGITS_DATA, "--sample", 3, "--timeout", "2"]
    assert "8/255" in plumb.run(*question, "--eps", "8").stderr
    run = ["accuracy", *question[1:], "--out", folder / "run.db"]
    assert "8/255" in plumb.run(*run, "--eps", "0.1,8").stderr
    assert "note" not in plumb.run(*question, "--eps", "8/255").stderr
    assert "note" not in plumb.run(*question, "--eps", "8", "-q").stderr


def eval_says_that_samples_look_unscaled(plumb, folder):
    network, data = affine(folder, [[-1], [0]], [1.125, 0]), csv(folder, (0, 17), (0, 0.5))
    done = plumb.run("eval", network, "--data", data)
    assert done.returncode == 0 and "sample 0" in done.stderr and "--scale (1/255" in done.stderr, done
    assert not plumb.run("eval", network, "--data", data, "--scale", "1/255").stderr, "a scale was given"
    data = csv(folder, (0, 0.5))
    assert not plumb.run("eval", network, "--data", data).stderr, "nothing to say"


CHECKS = [a_normalised_network_gets_the_answers_of_the_plain_one,
          witnesses_of_a_normalised_network_fool_it_in_another_run_time, usual_numbers_have_names,
          half_a_normalisation_gets_a_notice,
          numbers_that_do_not_fit_are_refused, each_channel_has_its_own_radius_domain_and_normalisation,
          distances_are_in_units_of_the_scale, a_store_is_about_one_normalisation_and_one_scale,
          a_radius_that_covers_the_domain_gets_a_notice, eval_says_that_samples_look_unscaled]

if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
