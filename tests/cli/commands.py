#!/usr/bin/env python3
"""The commands as a user meets them, on the example that comes with the project.

    tests/cli/commands.py --plumb build/release/plumb [CHECK ...]

Checks help texts, tables, JSON keys, exit codes, that results do not depend on threads, and that written outputs are
what single samples print. Here: what all commands have in common; single commands are in commands_*.py. Closing line:
`N passed, N failed, N skipped`.
"""

import json
import re
import sys

import commands_attack
import commands_evaluation
import commands_measure
import commands_property
import commands_region
import commands_verify
from checks import checks_of, main
from commands_attack import ATTACK
from example import DATA, NETWORK, Program


def version_is_printed(plumb, _):
    done = plumb.run("--version")
    assert done.returncode == 0 and done.stdout.startswith("plumb "), done


def every_command_has_an_example_in_its_help(plumb, _):
    for command in ((), ("inspect",), ("eval",), ("bounds",), ("attack",), ("accuracy",), ("solvers",), ("verify",),
                    ("distortion",), ("show",), ("merge",), ("report",), ("worst",), ("range",)):
        done = plumb.run(*command, "--help")
        assert done.returncode == 0 and "Example: plumb " in done.stdout, (command, done)


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


if __name__ == "__main__":
    sys.exit(main(checks_of(sys.modules[__name__], commands_evaluation, commands_attack, commands_verify,
                            commands_property, commands_region, commands_measure), Program))
