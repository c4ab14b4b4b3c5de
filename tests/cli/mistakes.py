#!/usr/bin/env python3
"""Mistakes on the command line are answered with what was probably meant.

    tests/cli/mistakes.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

from checks import main
from example import DATA, NETWORK, Program

QUESTION = (NETWORK, "--data", DATA, "--sample", "7")


def advice(plumb, code, *arguments):
    done = plumb.run(*arguments)
    assert done.returncode == code and done.stderr.startswith("plumb: ") and not done.stdout, (arguments, done)
    assert "not expected" not in done.stderr and "is not a number that is not" not in done.stderr, done
    return done.stderr


def misspelt_names_get_the_nearest_one(plumb, _):
    for arguments, meant in ((("verfy",), "plumb verify"), (("acuracy",), "plumb accuracy"), (("--hlep",), "--help"),
                             (("verify", "--hlep"), "--help"), (("verify", *QUESTION, "--epsilon", "0.1"), "--eps"),
                             (("eval", NETWORK, "--dtaa", DATA), "--data"),
                             (("verify", *QUESTION, "--eps", "0.1", "--norm", "linff"), "linf"),
                             (("report", "run.db", "--out", "x.html"), "--output")):
        assert f"did you mean {meant}?" in advice(plumb, 64, *arguments), arguments


def options_of_other_commands_say_where_they_belong(plumb, _):
    assert "plumb accuracy has it" in advice(plumb, 64, "verify", *QUESTION, "--eps", "0.1", "--out", "run.db")
    assert "plumb verify, accuracy" in advice(plumb, 64, "attack", *QUESTION, "--eps", "0.1", "--timeout", "5")
    for command in ("verify", "attack", "worst", "bounds"):
        said = advice(plumb, 64, command, *QUESTION, "--eps", "0.1,0.2")
        assert "plumb accuracy takes several radii" in said and "--eps-scale" in said, said


def help_is_a_command_too(plumb, _):
    assert plumb.run("help").stdout == plumb.run("--help").stdout != ""
    for command in ("verify", "accuracy", "solvers"):
        asked = plumb.run("help", command)
        assert asked.returncode == 0 and asked.stdout == plumb.run(command, "--help").stdout != "", asked
    assert "did you mean plumb verify?" in advice(plumb, 64, "help", "verfy")


def arguments_are_named_in_order_and_with_a_usage(plumb, _):
    said = advice(plumb, 64, "eval", *QUESTION, "one", "two")
    assert "unexpected: one two" in said and "usage: plumb eval NET --data SPEC [OPTIONS]" in said, said
    assert "NET is required" in advice(plumb, 64, "verify")
    assert "--eps: needs a value: --eps E" in advice(plumb, 64, "verify", *QUESTION, "--eps")
    assert "needs a value, but --json follows" in advice(plumb, 64, "verify", *QUESTION, "--eps", "--json")


def a_stray_argument_is_no_property(plumb, folder):
    for stray in ("0.2", folder / "none.vnnlib"):
        said = advice(plumb, 64, "verify", *QUESTION, "--eps", "0.1", stray)
        assert f"unexpected: {stray}" in said and "--data" not in said, said


def an_option_that_is_given_twice_is_named(plumb, _):
    for option in (("--eps", "0.2"), ("--domain", "0,1"), ("--timeout", "3")):
        said = advice(plumb, 64, "verify", *QUESTION, *option, *option)
        assert f"{option[0]}: is given more than once" in said and "required" not in said, said


def a_domain_is_answered_with_ranges(plumb, _):
    for domain in ("-1,1,-1,1", "0,x", "1"):
        said = advice(plumb, 64, "verify", *QUESTION, "--eps", "0.1", "--domain", domain)
        assert "--domain 0,1" in said and "1/255" not in said, said


def a_network_for_batches_is_not_blamed_on_the_layout(plumb, folder):
    shape = (64, 1, 4, 4)
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "batch", value[:1], value[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), folder / "net.onnx")
    np.savez(folder / "data.npz", x=np.zeros((3, 1, 4, 4), np.float32), y=np.zeros(3, np.int64))
    said = advice(plumb, 65, "eval", folder / "net.onnx", "--data", f"npz:{folder / 'data.npz'}")
    assert "takes 64 samples at a time" in said and "--layout" not in said, said


CHECKS = [misspelt_names_get_the_nearest_one, options_of_other_commands_say_where_they_belong, help_is_a_command_too,
          arguments_are_named_in_order_and_with_a_usage, an_option_that_is_given_twice_is_named,
          a_stray_argument_is_no_property, a_domain_is_answered_with_ranges,
          a_network_for_batches_is_not_blamed_on_the_layout]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
