#!/usr/bin/env python3
"""Questions in the units of the data: networks with a normalisation, and a radius or domain for each channel or input.

    tests/cli/units.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import json
import re
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, save

from checks import main
from commands_region import BOX, SIDES, check_end, ends, property_text, small_network, written
from example import write_property
from regions import DIGITS, DIGITS_DATA, Program, affine, csv
from report import data_of

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


def files_speak_about_values_before_normalisation(plumb, folder):
    # With u = (x - mean) / std, the network computes |u0 - u1| and u0 + 2 u1; u0 and u1 range over [0, 0.3].
    network, box = small_network(folder), written(folder / "box.csv", BOX)
    numbers = ["--mean", "0.1,-0.3", "--std", "2,4"]
    for region in (box, written(folder / "p.vnnlib", property_text(*SIDES))):
        first, second, _ = ends(plumb, network, region, *numbers)
        for end, truth in ((first["minimum"], "0"), (first["maximum"], "0.3"), (second["minimum"], "0"), (second["maximum"], "0.9")):
            check_end(end, truth)
        assert first["question"]["mean"] == "0.1,-0.3" and first["question"]["std"] == "2,4", first
        line, = plumb.lines("bounds", network, region, *numbers)[1]
        assert line["outputs"][1]["lower"] <= 0 and 0.9 <= line["outputs"][1]["upper"] < 0.91, line
    # Of inputs themselves, conditions and objectives speak before normalisation, too: X_1 = -0.3 + 4 u1.
    line, = ends(plumb, network, box, *numbers, "--objective", "Y_1 - 0.5*X_1")
    check_end(line["minimum"], "0.15")
    check_end(line["maximum"], "0.45")
    for bound, verdict, margin in (("0.78", "violated", -0.02), ("0.82", "holds", 0.02)):
        # Y_1 is at most (0.5 - 0.1) / 2 + 2 (0.9 + 0.3) / 4 = 0.8 where X_0 <= 0.5.
        asked = written(folder / "q.vnnlib", property_text(*SIDES, "(<= X_0 0.5)", f"(>= Y_1 {bound})"))
        line, = plumb.lines("worst", network, asked, *numbers)[1]
        assert line["exact"] and abs(line["lower"] - margin) < 1e-4, line
        for options in (["verify"], ["verify", "--engine", "milp"], ["verify", "--audit"]):
            assert plumb.lines(options[0], network, asked, *numbers, *options[1:])[1][0]["verdict"] == verdict, (bound, options)
    # From the centre (0.3, 0.3): u0 = 0.1, u1 = 0.15, and r / 2 + 2 r / 4 = 0.38 with r <= 0.2 for x0.
    asked = written(folder / "q.vnnlib", property_text(*SIDES, "(<= X_0 0.5)", "(>= Y_1 0.78)"))
    line, = plumb.lines("distortion", network, asked, *numbers)[1]
    assert line["exact"] and abs(line["upper"] - 0.56) < 1e-6, line
    # One number per channel.
    flat = written(folder / "twelve.csv", "0,1\n" * 12)
    line, = ends(plumb, colours(folder), flat, "--output", 1, "--mean", "0.1,0.2,0.3", "--std", "1,2,4")
    assert abs(line["maximum"]["upper"] - (0.9 + 0.8 / 2 + 0.7 / 4)) < 1e-5, line
    assert "--mean: 2 values for a network of 12 inputs" in plumb.run("bounds", colours(folder), flat, "--mean", "1,2").stderr


def hidden_values_are_those_of_the_normalised_network(plumb, folder):
    # The third hidden value is u0 + 2 u1, at most 0.9, where u = (x - mean) / std.
    network, numbers = small_network(folder), ["--mean", "0.1,-0.3", "--std", "2,4"]
    declared = '(declare-network {} {} (declare-input {} float32 [1,2]) {} (declare-output {} float32 [1,2]))\n'
    box = "(assert (and (>= X[0,0] 0.1) (<= X[0,0] 0.7) (>= X[0,1] -0.3) (<= X[0,1] 0.9)))\n"
    one = "(vnnlib-version <2.0>)\n" + declared.format("f", "", "X", '(declare-hidden H float32 [1,4] "r")', "Y")
    for bound, verdict in (("0.95", "holds"), ("0.85", "violated")):
        asked = written(folder / "h.vnnlib", f"{one}{box}(assert (>= H[0,2] {bound}))\n")
        done, lines = plumb.lines("verify", network, asked, *numbers)
        assert lines and lines[0]["verdict"] == verdict, (done, bound)
    both = one + declared.format("g", "(equal-to f)", "U", "", "V") + box + "(assert (and (== U[0,0] X[0,0]) (== U[0,1] X[0,1])))\n(assert (>= V[0,1] Y[0,1]))\n"
    done = plumb.run("verify", network, written(folder / "two.vnnlib", both), *numbers)
    assert done.returncode == 64 and "--mean: is not available for a property of several networks" in done.stderr, done


def two_inputs_are_normalised_in_the_order_of_the_property(plumb, folder):
    # Y = a + 10 b, and the property declares b first.
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "aby"]
    graph = helper.make_graph([helper.make_node("Mul", ["b", "ten"], ["t"]), helper.make_node("Add", ["a", "t"], ["y"])], "g",
                              values[:2], values[2:], [numpy_helper.from_array(np.array([10], np.float32), "ten")])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), folder / "two.onnx")
    asked = written(folder / "order.vnnlib", '(vnnlib-version <2.0>)\n(declare-network f (declare-input B float32 [1] "b")'
                    '(declare-input A float32 [1] "a") (declare-output Y float32 [1] "y"))\n'
                    "(assert (and (>= B[0] 0) (<= B[0] 1) (>= A[0] 0) (<= A[0] 1)))\n")
    line, = ends(plumb, folder / "two.onnx", asked, "--mean", "0.25,0.5", "--std", "1,2")  # of b, then of a
    assert abs(line["maximum"]["upper"] - (0.5 / 2 + 10 * 0.75)) < 1e-3, line
    assert abs(line["minimum"]["lower"] - (-0.5 / 2 - 10 * 0.25)) < 1e-3, line


def witnesses_of_a_normalised_network_violate_a_property_in_another_run_time(plumb, folder):
    normalised = unnormalised_digits(folder)
    session = onnxruntime.InferenceSession(normalised)
    for radius, verdict in ((0.3, "violated"), (0.02, "holds")):
        write_property(folder / "p.vnnlib", 9, radius)
        line, = plumb.lines("verify", normalised, folder / "p.vnnlib", "--mean", MEAN, "--std", DEVIATION)[1]
        plain, = plumb.lines("verify", DIGITS, folder / "p.vnnlib")[1]
        assert line["verdict"] == plain["verdict"] == verdict, (line["verdict"], plain["verdict"])
        if verdict == "holds":
            continue
        pixels = np.array(line["witness"], np.float32).reshape(1, 1, 16, 16)
        assert pixels.min() >= 0 and pixels.max() <= 1, "a witness leaves the property's region"
        outputs = session.run(None, {session.get_inputs()[0].name: (pixels - np.float32(MEAN)) / np.float32(DEVIATION)})[0]
        assert int(outputs.argmax()) != 9 and np.allclose(outputs[0], line["outputs"], atol=1e-4), line


def a_store_is_about_one_normalisation_and_one_scale(plumb, folder):
    normalised, store = unnormalised_digits(folder), folder / "run.db"
    question = ["accuracy", normalised, "--data", DIGITS_DATA, "--eps", "0.06", "--out", store]
    numbers = ["--mean", MEAN, "--std", DEVIATION]
    done = plumb.run(*question, *numbers, "--samples", "0:20")
    assert done.returncode == 0, done.stderr
    assert plumb.run(*question, *numbers, "--samples", "0:20", "-q").returncode == 0
    for other, said, advice in (
            ([], f"mean {MEAN}; this command does not set it", f"or --mean {MEAN} --std {DEVIATION} to continue"),
            (["--mean", "0.5", "--std", DEVIATION], f"mean {MEAN}; this command says 0.5", f"or --mean {MEAN} to continue"),
            ([*numbers, "--eps-scale", "1/2"], "eps-scale not set; this command says 0.5", "without --eps-scale")):
        # The other samples have no results yet, so that no result contradicts the question.
        for samples in ("0:20", "20:40"):
            done = plumb.run(*question, *other, "--samples", samples)
            assert done.returncode == 65 and said in done.stderr and advice in done.stderr, (other, done)
            assert "hash" not in done.stderr, "the network is the same"
    shown = plumb.run("show", store).stdout
    assert re.search(rf"^mean +{MEAN}$", shown, re.M) and re.search(rf"^std +{DEVIATION}$", shown, re.M), shown
    lines = [json.loads(line) for line in plumb.run("show", store, "--json").stdout.splitlines()]
    assert {(line["question"]["mean"], line["question"]["std"]) for line in lines} == {(MEAN, DEVIATION)}, lines[0]
    done = plumb.run("report", store, "-o", folder / "page.html")
    assert done.returncode == 0 and not done.stderr.count("note"), done.stderr
    settings = data_of(folder / "page.html")["stores"][0]["settings"]
    assert settings["mean"]["shown"] == MEAN and settings["std"]["shown"] == DEVIATION, settings


def a_store_with_a_scale_refuses_a_command_without_it(plumb, folder):
    store = folder / "run.db"
    question = ["accuracy", DIGITS, "--data", DIGITS_DATA, "--eps", "0.06", "--out", store]
    assert plumb.run(*question, "--samples", "0:3", "--eps-scale", "1/2").returncode == 0
    done = plumb.run(*question, "--samples", "3:6")
    assert done.returncode == 65 and "eps-scale 0.5; this command does not set it" in done.stderr, done
    assert "or --eps-scale 0.5 to continue" in done.stderr, done
    radii = ",".join(f"0.0{k:02d}1" for k in range(20))
    sweep = ["accuracy", DIGITS, "--data", DIGITS_DATA, "--samples", "0:1", "--out", folder / "sweep.db", "--eps"]
    assert plumb.run(*sweep, radii).returncode == 0
    assert f"or --eps {radii} to continue" in plumb.run(*sweep, "0.1").stderr, "the radii in full"
    many = folder / "many.txt"
    many.write_text("1\n" * 256)
    other = ["accuracy", DIGITS, "--data", DIGITS_DATA, "--eps", "0.06", "--out", folder / "many.db"]
    assert plumb.run(*other, "--samples", "0:3", "--eps-scale", many).returncode == 0
    shown = plumb.run("show", folder / "many.db").stdout
    assert "1,1,... (256 values)" in shown and max(map(len, shown.splitlines())) < 100, shown
    assert "or --eps-scale as before to continue" in plumb.run(*other, "--samples", "3:6").stderr


def a_radius_that_covers_the_domain_gets_a_notice(plumb, folder):
    question = ["verify", DIGITS, "--data", DIGITS_DATA, "--sample", 3, "--timeout", "2"]
    assert "8/255" in plumb.run(*question, "--eps", "8").stderr
    run = ["accuracy", *question[1:], "--out", folder / "run.db"]
    assert "8/255" in plumb.run(*run, "--eps", "0.1,8").stderr
    assert "note" not in plumb.run(*question, "--eps", "8/255").stderr
    assert "note" not in plumb.run(*question, "--eps", "8", "-q").stderr


def a_radius_that_covers_one_input_gets_a_notice(plumb, folder):
    network, data = affine(folder, [[1, 0], [0, 1]], [1, 0]), csv(folder, (0, 0.5, 0.5))
    for command in ("verify", "worst", "attack", "bounds"):
        question = [command, network, "--data", data, "--eps", "0.1"]
        said = plumb.run(*question, "--eps-scale", "1,20").stderr
        assert "the radius of input 1 (counted from 0) covers its whole range" in said and "8/255" not in said, said
        assert "input 0 (counted" in plumb.run(*question, "--domain", "0.475,0.525;0,1").stderr
        assert "note" not in plumb.run(*question, "--eps-scale", "1,9").stderr
        assert "note" not in plumb.run(*question, "--domain", "0.5,0.5;0,1").stderr, "the input is fixed"
        assert "8/255" in plumb.run(*question, "--eps-scale", "10,20").stderr
        assert not plumb.run(*question, "--eps-scale", "1,20", "-q").stderr
    many = affine(folder, [[1, 0, 0], [0, 1, 0]], [1, 0]), csv(folder, (0, 0.5, 0.5, 0.5))
    said = plumb.run("accuracy", many[0], "--data", many[1], "--eps", "0.01,0.1", "--eps-scale", "1,20,20", "--out",
                     folder / "run.db").stderr
    assert "the radii of 2 of 3 inputs cover their whole ranges" in said and "the first is input 1" in said, said


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
          distances_are_in_units_of_the_scale, files_speak_about_values_before_normalisation,
          hidden_values_are_those_of_the_normalised_network, two_inputs_are_normalised_in_the_order_of_the_property,
          witnesses_of_a_normalised_network_violate_a_property_in_another_run_time,
          a_store_is_about_one_normalisation_and_one_scale, a_store_with_a_scale_refuses_a_command_without_it,
          a_radius_that_covers_the_domain_gets_a_notice, a_radius_that_covers_one_input_gets_a_notice, eval_says_that_samples_look_unscaled]

if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
