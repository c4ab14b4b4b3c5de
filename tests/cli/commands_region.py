"""Commands about a region or a property in a file, as a user meets them; for commands.py."""

import fractions
import gzip
import json

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

from example import DATA, NETWORK, REPOSITORY, write_property

# With decimals that are not doubles, so that a region's two roundings differ.
BOX = "# two inputs\n0.1,0.7\n-0.3 0.9\n"


def small_network(folder, last=None, name="net.onnx"):
    """Y_0 = |x0 - x1|, Y_1 = x0 + 2 x1, perhaps with a last operation."""
    tensors = [numpy_helper.from_array(np.array(values, np.float32), name) for name, values in (
        ("A", [[1, -1, 1, -1], [-1, 1, 2, -2]]), ("B", [[1, 0], [1, 0], [0, 1], [0, -1]]))]
    nodes = [helper.make_node("MatMul", ["x", "A"], ["h"]), helper.make_node("Relu", ["h"], ["r"]),
             helper.make_node("MatMul", ["r", "B"], ["y"])]
    if last:
        nodes.append(helper.make_node(last, ["y"], ["z"]))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
                              [helper.make_tensor_value_info("z" if last else "y", TensorProto.FLOAT, [1, 2])], tensors)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), folder / name)
    return folder / name


def written(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.name.endswith(".gz") else text.encode())
    return path


def property_text(*assertions):
    declared = "".join(f"(declare-const {name} Real)\n" for name in ("X_0", "X_1", "Y_0", "Y_1"))
    return declared + "".join(f"(assert {one})\n" for one in assertions)


SIDES = ("(and (>= X_0 0.1) (<= X_0 0.7))", "(and (>= X_1 -0.3) (<= X_1 0.9))")


def refused(program, code, *arguments):
    done = program.run(*arguments)
    assert done.returncode == code and not done.stdout and done.stderr.startswith("plumb: "), (arguments, done)
    return done.stderr


def ends(program, *arguments, code=0):
    done = program.run("range", *arguments, "--json")
    assert done.returncode == code, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_end(end, truth):
    """The truth lies in the interval, which is narrow, and the point in the box as it is written."""
    assert end["exact"] and end["evidence"] == "rigorous", end
    lower, upper = fractions.Fraction(end["lower"]), fractions.Fraction(end["upper"])
    assert lower <= fractions.Fraction(truth) <= upper, (end, truth)
    assert upper - lower <= fractions.Fraction("0.0002"), end
    for x, (low, high) in zip(end["point"], (("0.1", "0.7"), ("-0.3", "0.9"))):
        assert fractions.Fraction(low) <= fractions.Fraction(x) <= fractions.Fraction(high), end


def ranges_contain_the_true_values_over_boxes_and_properties(plumb, folder):
    network = small_network(folder)
    for region in (written(folder / "box.csv", BOX), written(folder / "box.txt.gz", BOX),
                   written(folder / "p.vnnlib", property_text(*SIDES)),
                   written(folder / "p.vnnlib.gz", property_text(*SIDES, "(>= Y_0 Y_1)"))):
        first, second, summary = ends(plumb, network, region)
        assert summary["summary"]["objectives"] == summary["summary"]["exact"] == 2, summary
        assert (first["objective"], second["objective"]) == ("Y_0", "Y_1"), (first, second)
        check_end(first["minimum"], "0")
        check_end(first["maximum"], "1")
        check_end(second["minimum"], "-0.5")
        check_end(second["maximum"], "2.5")
        only, = ends(plumb, network, region, "--output", 1)
        assert only["objective"] == "Y_1" and only["exact"], only
        point, outputs = only["maximum"]["point"], only["maximum"]["outputs"]
        assert abs(point[0] + 2 * point[1] - outputs[1]) < 1e-6, only
        assert abs(outputs[1] - only["maximum"]["lower"]) < 1e-6, only
    text = plumb.run("range", network, folder / "box.csv")
    assert text.returncode == 0 and "exact" in text.stdout and "maximum of Y_1 at: 0.69999" in text.stdout, text


def objectives_are_linear_functions_of_outputs_and_inputs(plumb, folder):
    network, box = small_network(folder), written(folder / "box.csv", BOX)
    for objective, least, most in (("Y_1", "-0.5", "2.5"), ("-Y_1", "-2.5", "0.5"), ("Y_1 - X_0 - 2*X_1", "0", "0"),
                                   ("0.1*Y_1 + 0.1*Y_1 + 0.3", "0.2", "0.8"), ("X_0 - 0.1*X_1", "0.01", "0.73"),
                                   ("Y_0 - Y_0 + 0.1", "0.1", "0.1"), ("0", "0", "0")):
        line, = ends(plumb, network, box, f"--objective={objective}")
        assert line["objective"] == objective, line
        check_end(line["minimum"], least)
        check_end(line["maximum"], most)
    huge, = ends(plumb, network, box, "--objective", "1e200*Y_1")
    assert huge["exact"] and huge["minimum"]["lower"] <= -0.5e200 <= huge["minimum"]["upper"], huge


def every_engine_brackets_both_ends(plumb, folder):
    network, box = small_network(folder), written(folder / "box.csv", BOX)
    for engine in ("bab", "milp", "bounds"):
        done = plumb.run("range", network, box, "--output", 0, "--engine", engine, "--timeout", 60, "--json")
        line = json.loads(done.stdout)
        assert done.returncode == (0 if line["exact"] else 2) and line["engine"] == engine, done
        for end, truth in ((line["minimum"], 0), (line["maximum"], 1)):
            assert end["lower"] <= truth <= end["upper"] and end["point"], line
            assert end["reason"] == "closed" or engine == "bounds", line


def ranges_over_unions_polytopes_points_and_nothing(plumb, folder):
    network = small_network(folder)
    union = written(folder / "union.vnnlib", property_text(
        "(or (and (>= X_0 0.1) (<= X_0 0.2)) (and (>= X_0 0.5) (<= X_0 0.7)))", SIDES[1], "(<= (+ X_0 X_1) 1)"))
    line, = ends(plumb, network, union, "--output", 1)
    check_end(line["minimum"], "-0.5")
    check_end(line["maximum"], "1.9")  # at (0.1, 0.9)
    point = written(folder / "point.csv", "0.1,0.1\n0.25,0.25\n")
    line, = ends(plumb, network, point, "--output", 1)
    assert line["minimum"]["point"] == [0.1, 0.25] and line["exact"], line
    assert line["minimum"]["lower"] <= 0.6 <= line["maximum"]["upper"], line
    for region in (written(folder / "empty.vnnlib", property_text(*SIDES, "(>= X_0 0.8)")),
                   written(folder / "thin.vnnlib", property_text(*SIDES, "(>= (+ X_0 X_1) 2)"))):
        text = plumb.run("range", network, region)
        assert text.returncode == 0 and "the region is empty" in text.stdout, text
        line, = ends(plumb, network, region, "--output", 0)
        assert line["exact"] and line["minimum"]["reason"] == "the region is empty", line
        assert line["minimum"]["lower"] is line["maximum"]["upper"] is line["minimum"]["point"] is None, line
        assert "the region is empty" in refused(plumb, 65, "bounds", network, region, "-q")


def ranges_say_what_is_wrong(plumb, folder):
    network, box = small_network(folder), written(folder / "box.csv", BOX)
    for code, said, *arguments in (
            (64, "--output: 2 is not one of the network's 2 outputs", box, "--output", 2),
            (64, "column 1: the network has no Y_9: its outputs are Y_0 to Y_1", box, "--objective", "Y_9"),
            (64, "column 9: expected a number, Y_k or X_i, found the end", box, "--objective", "Y_0 - 2*"),
            (64, "column 7: expected Y_k or X_i, found 'Z_1'", box, "--objective", "Y_0 + Z_1"),
            (64, "not doubles", box, "--objective", "1e-30*Y_0 + Y_1"),
            (64, "--write-model", box, "--write-model", "m.lp"),
            (64, "needs a VNN-LIB property", box, "--network", "g=g.onnx"),
            (66, "cannot be opened", folder / "missing.csv"),
            (65, "3 lines for a network of 2 inputs", written(folder / "3.csv", "0,1\n0,1\n0,1\n")),
            (65, "line 2: the lower bound 1 is above the upper bound 0", written(folder / "4.csv", "0,1\n1,0\n")),
            (65, "line 1: expected a decimal number, found 'inf'", written(folder / "5.csv", "0,inf\n0,1\n")),
            (65, "contains no bounds", written(folder / "6.csv", "\n")),
            (65, "input X_1 has no upper bound", written(folder / "7.vnnlib", property_text(SIDES[0], "(>= X_1 0)"))),
            (65, "line 1, column 1", written(folder / "8.vnnlib", "0,1\n"))):
        assert said in refused(plumb, code, "range", network, *arguments), (said, arguments)
    softmax = small_network(folder, "Softmax", "softmax.onnx")
    for options in (("--output", 0), ("--objective", "Y_0 - Y_1"), ()):
        done = plumb.run("range", softmax, box, *options)
        assert done.returncode == 65 and "which ends with Softmax" in done.stderr and not done.stdout, done
    notice = plumb.run("range", network, written(folder / "9.vnnlib", property_text(*SIDES, "(>= Y_0 1)")), "--output", 0)
    assert "conditions on outputs are not used" in notice.stderr, notice


def a_limit_leaves_an_interval(plumb, folder):
    write_property(folder / "p.vnnlib", 9, 0.3)
    line, = ends(plumb, NETWORK, folder / "p.vnnlib", "--output", 3, "--timeout", "0.2", code=2)
    assert not line["exact"] and line["maximum"]["lower"] < line["maximum"]["upper"], line
    assert line["minimum"]["lower"] < line["minimum"]["upper"] <= line["maximum"]["lower"], line


def bounds_of_a_region_are_those_of_the_units_and_outputs(plumb, folder):
    network, box = small_network(folder), written(folder / "box.csv", BOX)
    for method in ("interval", "linear", "alpha", "lp"):
        done = plumb.run("bounds", network, box, "--method", method, "--json")
        assert done.returncode == 0, done
        line = json.loads(done.stdout)
        assert line["part"] == 0 and line["layers"][0]["units"] == 4, line
        first, second = line["outputs"]
        assert first["lower"] <= 0 and first["upper"] >= 1 and first["upper"] < 3, line
        assert second["lower"] <= -0.5 and second["upper"] >= 2.5, line
    text = plumb.run("bounds", network, box)
    assert text.returncode == 0 and "Y_1" in text.stdout and "undecided" in text.stdout, text
    union = written(folder / "u.vnnlib", property_text("(or (<= X_0 0.2) (>= X_0 0.6))", *SIDES))
    lines = [json.loads(line) for line in plumb.run("bounds", network, union, "--json").stdout.splitlines()]
    assert [line["part"] for line in lines] == [0, 1], lines
    assert "part 2 of 2" in plumb.run("bounds", network, union).stdout


def attack_worst_and_distortion_agree_about_a_property(plumb, folder):
    network = small_network(folder)
    # Y_1 = x0 + 2 x1 reaches at most 2.5.
    for bound, margin, verdict in (("2.75", "0.25", "holds"), ("2.25", "-0.25", "violated")):
        path = written(folder / "p.vnnlib", property_text(*SIDES, f"(>= Y_1 {bound})"))
        done = plumb.run("worst", network, path, "--json")
        line = json.loads(done.stdout)
        assert done.returncode == 0 and line["verdict"] == verdict and line["exact"], done
        assert fractions.Fraction(line["lower"]) <= fractions.Fraction(margin) <= fractions.Fraction(line["upper"]), line
        attack = plumb.run("attack", network, path, "--json")
        found = json.loads(attack.stdout)
        assert attack.returncode == (1 if verdict == "violated" else 2) and found["engine"] == "attack", attack
        assert (found["witness"] is not None) == (verdict == "violated"), found
        text = plumb.run("worst", network, path)
        assert text.stdout.startswith(f"{verdict}: margin at least "), text
    # From the centre (0.4, 0.3), Y_1 = x0 + 2 x1 has to grow from 1 to 2.25. x0 can grow by 0.3 and x1 by 0.6.
    for norm, distance in (("linf", 0.475), ("l1", 0.65), ("l2", (1.25**2 / 5)**0.5)):
        done = plumb.run("distortion", network, path, "--norm", norm, "--json")
        line = json.loads(done.stdout)
        assert done.returncode == 0 and line["exact"] and line["norm"] == norm, done
        assert np.allclose(line["from"], [0.4, 0.3]) and len(line["witness"]) == 2, line
        assert abs(line["upper"] - distance) < 1e-5, line
    start = written(folder / "start.csv", "0.7, 0.9\n")
    line = json.loads(plumb.run("distortion", network, path, "--from", start, "--json").stdout)
    assert line["upper"] <= 1e-6 and line["from"] == [0.7, 0.9], line
    outside = written(folder / "outside.csv", "0.7\n1.9\n")
    line = json.loads(plumb.run("distortion", network, path, "--from", outside, "--json").stdout)
    assert line["exact"] and abs(line["upper"] - 1) < 1e-5, line
    holds = written(folder / "holds.vnnlib", property_text(*SIDES, "(>= Y_1 2.75)"))
    line = json.loads(plumb.run("distortion", network, holds, "--json").stdout)
    assert line["exact"] and line["upper"] is None and line["witness"] is None, line


def several_cases_of_a_property_are_measured_together(plumb, folder):
    network = small_network(folder)
    path = written(folder / "p.vnnlib", property_text(
        *SIDES, "(or (and (<= X_0 0.2) (>= Y_1 2.75)) (and (>= X_0 0.5) (>= Y_0 0.9)))"))
    done = plumb.run("worst", network, path, "--json")
    line = json.loads(done.stdout)
    assert done.returncode == 0 and line["cases"] == 2 and line["exact"], done
    assert line["lower"] <= -0.1 + 1e-7 and abs(line["upper"] + 0.1) < 2e-5, line  # |0.7 + 0.3| - 0.9
    line = json.loads(plumb.run("distortion", network, path, "--json").stdout)
    # From (0.4, 0.3): x0 - x1 >= 0.9 within the second case.
    assert line["exact"] and abs(line["upper"] - 0.5) < 1e-4, line


def files_and_samples_do_not_mix(plumb, folder):
    network, box = small_network(folder), written(folder / "box.csv", BOX)
    path = written(folder / "p.vnnlib", property_text(*SIDES, "(>= Y_1 2)"))
    for command in ("bounds", "attack", "worst", "distortion"):
        assert "--data: is required" in refused(plumb, 64, command, network), command
        for option, value in (("--data", DATA), ("--sample", 7), ("--scale", "1/255"), ("--domain", "0,2")):
            assert f"{option}: cannot be combined with" in refused(plumb, 64, command, network, path, option, value)
        if command == "bounds":
            continue
        assert "what is unsafe is missing" in refused(plumb, 65, command, network, box), command
    assert "--from: needs a property" in refused(plumb, 64, "distortion", NETWORK, "--data", DATA, "--from", box)
    assert "1 numbers for a network of 2 inputs" in refused(
        plumb, 65, "distortion", network, path, "--from", written(folder / "one.csv", "1\n"))
    no_condition = written(folder / "n.vnnlib", property_text(*SIDES))
    assert "no condition on outputs" in refused(plumb, 65, "worst", network, no_condition)


def the_example_property_has_the_margin_of_its_sample(plumb, _):
    done = plumb.run("worst", NETWORK, REPOSITORY / "examples/digits/image7.vnnlib", "--json")
    line = json.loads(done.stdout)
    assert done.returncode == 0 and line["verdict"] == "holds" and line["lower"] > 0, done
