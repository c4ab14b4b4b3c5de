#!/usr/bin/env python3
"""scripts/vnncomp from the user's side, on properties of the example's network: interrupted, continued, and with false
answers.

    tests/cli/vnncomp.py --plumb build/release/plumb [CHECK ...]

A program between the runner and plumb makes the false answers (`stand_in`). Closing line:
`N passed, N failed, N skipped`.
"""

import csv
import gzip
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from checks import main
from example import NETWORK, REPOSITORY, write_property

SCRIPT = REPOSITORY / "scripts/vnncomp"
HOLDS = REPOSITORY / "examples/digits/image7.vnnlib"
COLUMNS = ["category", "onnx", "vnnlib", "timeout_s", "verdict"]


class Program:
    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()


def two_networks(path):
    """The network against itself, written twice and given twice. The outputs for one input do not differ, so that this
    is sat."""
    names = [f"[0,0,{r},{c}]" for r in range(16) for c in range(16)]
    text = ("(vnnlib-version <2.0>)\n"
            "(declare-network f (declare-input X float32 [1,1,16,16]) (declare-output Y float32 [1,10]))\n"
            "(declare-network g (isomorphic-to f) (declare-input U float32 [1,1,16,16])"
            " (declare-output V float32 [1,10]))\n")
    text += "".join(f"(assert (and (>= X{at} 0) (<= X{at} 0.5) (== X{at} U{at})))\n" for at in names)
    path.write_text(text + "(assert (and (<= Y[0,3] (+ V[0,3] 0.25)) (>= Y[0,3] (- V[0,3] 0.25))))\n")


def write_list(folder, *rows, name="list.csv"):
    with open(folder / name, "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return folder / name


def small_list(folder, **changed):
    """One instance is unsat, one is sat, and one of two networks is sat."""
    shutil.copy(NETWORK, folder / "net.onnx")
    shutil.copy(HOLDS, folder / "holds.vnnlib")
    write_property(folder / "broken.vnnlib.gz", 9, 0.3, packed=True)
    two_networks(folder / "two.vnnlib")
    verdicts = {"holds": "unsat", "broken": "sat", "two": "sat"} | changed
    return write_list(folder, ["digits", "net.onnx", "holds.vnnlib", 20, verdicts["holds"]],
                      ["digits", "net.onnx", "broken.vnnlib.gz", 20, verdicts["broken"]],
                      ["pairs", "[('f', 'net.onnx'), ('g', 'net.onnx')]", "two.vnnlib", 20, verdicts["two"]])


def vnncomp(plumb, *arguments):
    command = [SCRIPT, *map(str, arguments), *(["--plumb", plumb] if plumb else [])]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def rows_of(folder):
    with open(folder / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def answers(folder):
    return [(row["answer"], row["outcome"]) for row in rows_of(folder)]


def stand_in(plumb, folder, body):
    """A program that runs `body` in place of plumb verify. $results is the results file."""
    path = folder / "stand_in"
    path.write_text(f'#!/usr/bin/env bash\nplumb={plumb.path}\n[[ $1 == verify ]] || exec $plumb "$@"\n'
                    f'results=${{*: -1}}\n{body}\n')
    path.chmod(0o755)
    return path


def every_answer_is_checked_counted_and_written(plumb, folder):
    done = vnncomp(plumb.path, small_list(folder), "--out", folder / "out")
    assert done.returncode == 0 and not done.stderr, done
    assert answers(folder / "out") == [("unsat", "solved"), ("sat", "solved"), ("sat", "solved")], done.stdout
    table = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.strip()}
    assert table["digits"][:5] == ["2", "2", "0", "0", "0"] and table["all"][:5] == ["3", "3", "0", "0", "0"], table
    for row in rows_of(folder / "out"):
        assert 0 < float(row["seconds"]) < 20 and 5 < float(row["peak_mib"]) < 2000 and row["reason"], row
    page = (folder / "out/results.html").read_text()
    assert "3 of 3" in page and "broken" in page and "<script" not in page and "http://" not in page
    again = vnncomp(plumb.path, folder / "list.csv", "--out", folder / "out")
    assert again.returncode == 0 and "[" not in again.stdout and len(rows_of(folder / "out")) == 3, again


def a_benchmark_s_own_list_is_read_as_it_is(plumb, folder):
    """No header line, compressed files named as if they were plain, line ends of other systems."""
    (folder / "digits_2026").mkdir()
    benchmark = folder / "digits_2026"
    small_list(benchmark)
    with open(benchmark / "net.onnx", "rb") as file:
        (benchmark / "net.onnx.gz").write_bytes(gzip.compress(file.read()))
    (benchmark / "net.onnx").unlink()
    (benchmark / "instances.csv").write_bytes(
        b'net.onnx,holds.vnnlib,20\r\n./net.onnx, broken.vnnlib, 20.0\r\n'
        b'"[(""f"", ""net.onnx""), (""g"", ""net.onnx"")]",two.vnnlib,20\r\n')
    done = vnncomp(plumb.path, benchmark / "instances.csv", "--out", folder / "out")
    assert done.returncode == 0, done
    assert answers(folder / "out") == [("unsat", "solved"), ("sat", "solved"), ("sat", "solved")], done.stdout
    assert {row["category"] for row in rows_of(folder / "out")} == {"digits_2026"}


def a_verdict_that_contradicts_the_known_one_is_wrong(plumb, folder):
    for name, answer, known in (("holds", "unsat", "sat"), ("broken", "sat", "unsat")):
        out = folder / name
        done = vnncomp(plumb.path, small_list(folder, **{name: known}), "--only", "digits", "--out", out)
        assert done.returncode == 1 and f"WRONG: digits: net {name}: known as {known}" in done.stdout, done
        assert (answer, "wrong") in answers(out) and len(answers(out)) == 2, answers(out)
        assert "known as" in (out / "results.html").read_text()


def a_counterexample_that_was_tampered_with_is_refused(plumb, folder):
    small_list(folder)
    outside = write_property(folder / "broken.vnnlib.gz", 9, 0.3, packed=True)[0] + 0.300001
    lies = {f"s/(X_0 [^)]*)/(X_0 {outside})/": "do not satisfy the property",
            "s/(X_0 [^)]*)/(X_0 1.5)/": "outputs as written",
            "s/(Y_3 [^)]*)/(Y_3 1000)/": "outputs as written",
            "s/(X_7 [^)]*)//": "X_8 stands where X_7 is expected",
            "s/(X_9 [^)]*)/(X_9 nan)/": "not finite",
            "s/(Y_9 [^)]*))//": "is not part of a counterexample"}
    for number, (lie, said) in enumerate(lies.items()):
        program = stand_in(plumb, folder, f'$plumb "$@"; code=$?; sed -i "{lie}" "$results"; exit $code')
        done = vnncomp(program, write_list(folder, ["digits", "net.onnx", "broken.vnnlib.gz", 20, "sat"]),
                       "--out", folder / f"out{number}")
        assert done.returncode == 1 and "WRONG: digits: net broken: refused: " in done.stdout, done
        assert said in done.stdout, (said, done.stdout)
        assert answers(folder / f"out{number}") == [("sat", "wrong")], done
    program = stand_in(plumb, folder, "echo sat >$results; exit 1")  # for a property that holds
    path = write_list(folder, ["digits", "net.onnx", "holds.vnnlib", 20, ""])
    done = vnncomp(program, path, "--out", folder / "none")
    assert done.returncode == 1 and answers(folder / "none") == [("sat", "wrong")], done


def hidden_values_are_part_of_counterexamples(plumb, folder):
    """The scores of f before its softmax, named by their node, against those of g, which is f again."""
    import onnx
    from onnx import TensorProto, helper
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2, 3], [1, 2, 0, 0, 1, -1])
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"], name="[scores] (before)"),
         helper.make_node("Relu", ["h"], ["r"]), helper.make_node("Softmax", ["r"], ["y"])], "scores",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), folder / "net.onnx")
    text = ('(vnnlib-version <2.0>)\n(declare-network f (declare-input X float32 [1,2])'
            ' (declare-hidden H float32 [1,3] "[scores] (before)") (declare-output Y float32 [1,3]))\n'
            '(declare-network g (equal-to f) (declare-input U float32 [2]) (declare-hidden R real [3] "r")'
            ' (declare-output V float32 [3]))\n'
            '(assert (and (>= X[0,0] -1) (<= X[0,0] 1) (>= X[0,1] -1) (<= X[0,1] 1)))\n'
            '(assert (and (== X[0,0] U[0]) (== X[0,1] U[1])))\n')
    conditions = {"sat": "(and (<= H[0,0] -0.5) (>= R[1] (+ H[0,0] 0.5)) (> Y[0,2] Y[0,0]))",
                  "unsat": "(or (<= R[0] (- H[0,0] 0.125)) (and (<= R[1] 0.25) (>= H[0,1] 0.5)))"}
    for known, condition in conditions.items():
        (folder / f"{known}.vnnlib").write_text(text + f"(assert {condition})\n")
    path = write_list(folder, *(["hidden", "net.onnx", f"{known}.vnnlib", 20, known] for known in conditions))
    done = vnncomp(plumb.path, path, "--out", folder / "out")
    assert done.returncode == 0 and answers(folder / "out") == [("sat", "solved"), ("unsat", "solved")], done
    lines = (folder / "out/answers/0001.txt").read_text().splitlines()
    names = [line for line in lines[1:] if " " in line]
    assert names == ["X float32 [1,2]", "H float32 [1,3]", "Y float32 [1,3]",
                     "U float32 [2]", "R real [3]", "V float32 [3]"], names
    program = stand_in(plumb, folder, '$plumb "$@"; code=$?; sed -i "/^R real/{n;s/.*/7/}" "$results"; exit $code')
    done = vnncomp(program, path, "--out", folder / "lied")
    assert done.returncode == 1 and "values of R as written" in done.stdout, done.stdout


def inputs_that_a_property_names_are_those_of_that_name(plumb, folder):
    """y = a - b, declared with b first: matched by position, the question would be reversed."""
    import onnx
    from onnx import TensorProto, helper
    tensors = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "aby"}
    graph = helper.make_graph([helper.make_node("Sub", ["a", "b"], ["y"])], "difference", [tensors["a"], tensors["b"]],
                              [tensors["y"]])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), folder / "net.onnx")
    text = ('(vnnlib-version <2.0>)\n(declare-network f (declare-input B float32 [1] "b")'
            ' (declare-input A float32 [1] "a") (declare-output Y float32 [1] "y"))\n'
            '(assert (and (>= A[0] 2) (<= A[0] 3) (>= B[0] 0) (<= B[0] 1)))\n')
    for known, condition in (("sat", "(>= Y[0] 1.5)"), ("unsat", "(<= Y[0] -0.5)")):
        (folder / f"{known}.vnnlib").write_text(text + f"(assert {condition})\n")
    path = write_list(folder, *(["named", "net.onnx", f"{known}.vnnlib", 20, known] for known in ("sat", "unsat")))
    done = vnncomp(plumb.path, path, "--out", folder / "out")
    assert done.returncode == 0 and answers(folder / "out") == [("sat", "solved"), ("unsat", "solved")], done


def outputs_behind_a_last_softmax_are_those_of_the_file(plumb, folder):
    import onnx
    from onnx import TensorProto, helper
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2, 3], [1, 2, 0, 0, 1, -1])
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Softmax", ["h"], ["y"])], "scores",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, folder / "scores.onnx")
    names = ["X_0", "X_1", "Y_0", "Y_1", "Y_2"]
    text = "".join(f"(declare-const {name} Real)\n" for name in names)
    text += "".join(f"(assert (and (>= {name} 0.5) (<= {name} 1)))\n" for name in names[:2])
    (folder / "order.vnnlib").write_text(text + "(assert (> Y_1 Y_0))\n")
    path = write_list(folder, ["scores", "scores.onnx", "order.vnnlib", 20, "sat"])
    done = vnncomp(plumb.path, path, "--out", folder / "out")
    assert done.returncode == 0 and answers(folder / "out") == [("sat", "solved")], done
    written = re.findall(r"\(Y_\d ([^)]*)\)", (folder / "out/answers/0001.txt").read_text())
    assert len(written) == 3 and abs(sum(map(float, written)) - 1) < 1e-6, written


def a_stopped_run_leaves_nothing_running_and_goes_on(plumb, folder):
    program = stand_in(plumb, folder, f'if [[ -e {folder}/slow && $3 == *broken* ]]; then echo $$ >{folder}/pid; '
                                      f'exec sleep 100; fi; exec $plumb "$@"')
    (folder / "slow").touch()
    command = [SCRIPT, small_list(folder), "--out", folder / "out", "--plumb", program]
    for stop in (signal.SIGINT, signal.SIGTERM):
        (folder / "pid").unlink(missing_ok=True)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not ((folder / "pid").exists() and (folder / "pid").read_text().strip()):
            assert time.monotonic() < deadline and process.poll() is None, "the second instance did not start"
            time.sleep(0.01)
        other = vnncomp(program, folder / "list.csv", "--out", folder / "out")
        assert other.returncode == 65 and "another run uses this folder" in other.stderr, other
        process.send_signal(stop)
        output, errors = process.communicate(timeout=20)
        assert process.returncode == 130 and not errors and "to run" in output, (output, errors)
        assert not runs((folder / "pid").read_text().strip()), "it still runs"
        assert answers(folder / "out") == [("unsat", "solved")], output
    (folder / "slow").unlink()
    with open(folder / "out/results.csv", "a") as file:
        file.write("digits,net.onnx,broken.vnn")  # as a crash leaves it
    first = (folder / "out/results.csv").read_text().splitlines()[1]
    done = vnncomp(program, folder / "list.csv", "--out", folder / "out")
    assert done.returncode == 0 and done.stdout.count("\n[") == 1 and done.stdout.startswith("[2/3]"), done
    assert answers(folder / "out") == [("unsat", "solved"), ("sat", "solved"), ("sat", "solved")], done
    assert (folder / "out/results.csv").read_text().splitlines()[1] == first, "what was there was kept"


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def what_was_undecided_runs_again_when_asked(plumb, folder):
    program = stand_in(plumb, folder, f'[[ -e {folder}/slow ]] && exec sleep 100; exec $plumb "$@"')
    (folder / "slow").touch()
    small_list(folder)
    path = write_list(folder, ["digits", "net.onnx", "holds.vnnlib", 20, "unsat"])
    question = (path, "--limit", 4, "--out", folder / "out")
    done = vnncomp(program, *question)
    assert done.returncode == 0 and answers(folder / "out") == [("timeout", "unknown")], done
    (row,) = rows_of(folder / "out")
    assert "ended from outside" in row["reason"] and "by itself" not in row["remark"], row
    (folder / "slow").unlink()
    assert vnncomp(program, *question).returncode == 0 and ("timeout", "unknown") in answers(folder / "out")
    done = vnncomp(program, *question, "--again", "unknown")
    assert done.returncode == 0 and answers(folder / "out") == [("unsat", "solved")], done


def too_little_memory_is_an_error_in_time_not_a_verdict(plumb, folder):
    small_list(folder)
    text = HOLDS.read_text() + ";" * 200_000_000 + "\n"
    (folder / "large.vnnlib.gz").write_bytes(gzip.compress(text.encode(), 1))
    path = write_list(folder, ["digits", "net.onnx", "large.vnnlib.gz", 20, "unsat"])
    program = stand_in(plumb, folder, 'ulimit -v 100000; exec $plumb "$@"')
    done = vnncomp(program, path, "--out", folder / "out")
    assert done.returncode == 1 and answers(folder / "out") == [("error", "error")], done
    assert "ERROR: digits: net large: plumb: not enough memory" in done.stdout, done


def a_folder_of_another_question_is_refused(plumb, folder):
    path = small_list(folder)
    assert vnncomp(plumb.path, path, "--only", "digits", "--out", folder / "out").returncode == 0
    before = (folder / "out/results.csv").read_text()
    for arguments, words in ((("--engine", "milp"), ("--engine auto", "--engine milp")),
                             (("--limit", "7"), ("--limit 100", "--limit 7"))):
        done = vnncomp(plumb.path, path, "--out", folder / "out", *arguments)
        assert done.returncode == 65 and all(word in done.stderr for word in words) and not done.stdout, done
    done = vnncomp(stand_in(plumb, folder, 'exec $plumb "$@"'), path, "--out", folder / "out")
    assert done.returncode == 65 and "was made with plumb " in done.stderr, done
    done = vnncomp(plumb.path, small_list(folder, two="unsat"), "--out", folder / "out")
    assert done.returncode == 65 and "list of instances" in done.stderr, done
    assert (folder / "out/results.csv").read_text() == before


def mistakes_are_named_with_file_and_row(plumb, folder):
    small_list(folder)
    good = ["digits", "net.onnx", "holds.vnnlib", "20", "unsat"]
    for row, code, words in ((["digits", "none.onnx", *good[2:]], 66, ["row 3", "none.onnx is not there"]),
                             (["digits", "net.onnx", "none.vnnlib", "20", "sat"], 66, ["row 3", "none.vnnlib"]),
                             ([*good[:3], "soon", "sat"], 65, ["row 3", "timeout_s is 'soon'"]),
                             ([*good[:3], "0", "sat"], 65, ["row 3", "timeout_s is '0'"]),
                             ([*good[:4], "maybe"], 65, ["row 3", "the verdict is 'maybe'"]),
                             (["digits", "net.onnx"], 65, ["row 3", "fewer fields"]),
                             ([*good, "more"], 65, ["row 3", "more or fewer fields"]),
                             (["pairs", "[net.onnx]", *good[2:]], 65, ["row 3", "neither a file nor a list"]),
                             (good, 65, ["row 3", "same instance as row 2"])):
        done = vnncomp(plumb.path, write_list(folder, good, row), "--out", folder / "out")
        assert done.returncode == code and done.stderr.startswith(f"vnncomp: {folder}/list.csv: "), done
        assert all(word in done.stderr for word in words) and not (folder / "out").exists(), (words, done)
    for text, code, words in (("digits,net.onnx,holds.vnnlib,20\n", 65, "no column category"),
                              ("net.onnx,holds.vnnlib,soon\n", 65, "no column category"),
                              ("net.onnx,holds.vnnlib,20\nnet.onnx,holds.vnnlib,20\n", 65, "row 2: is the same"),
                              ("net.onnx,holds.vnnlib,20\nnet.onnx,broken.vnnlib\n", 65, "row 2: has more or fewer"),
                              ("net.onnx,holds.vnnlib,-20\n", 65, "row 1: timeout_s is '-20'"),
                              ("net.onnx,holds.vnnlib,20\nnone.onnx,holds.vnnlib,20\n", 66, "none.onnx is not there"),
                              ("", 65, "no column category"), (None, 66, "cannot be read")):
        (folder / "list.csv").unlink(missing_ok=True)
        if text is not None:
            (folder / "list.csv").write_text(text)
        done = vnncomp(plumb.path, folder / "list.csv", "--out", folder / "out")
        assert done.returncode == code and words in done.stderr and not (folder / "out").exists(), (text, done)
    path = small_list(folder)
    for arguments in (("--only", "digit"), ("--limit", "0"), ("--engine", "fast"), ("--compare", folder, folder)):
        assert vnncomp(plumb.path, path, *arguments).returncode == 64, arguments
    done = vnncomp(folder / "no_plumb", path, "--out", folder / "out")
    assert done.returncode == 66 and "no_plumb" in done.stderr and not (folder / "out").exists(), done


def two_folders_stand_side_by_side(plumb, folder):
    path = small_list(folder)
    for engine in ("auto", "milp"):
        done = vnncomp(plumb.path, path, "--only", "digits", "--engine", engine, "--out", folder / engine)
        assert done.returncode == 0 and answers(folder / engine) == [("unsat", "solved"), ("sat", "solved")], done
    done = vnncomp(None, "--compare", folder / "auto", folder / "milp", "--out", folder / "both")
    assert done.returncode == 0 and "auto: solved" in done.stdout and "milp: solved" in done.stdout, done
    with open(folder / "both/comparison.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["auto: solved"], row["milp: solved"]) for row in rows] == [("2", "2")] * 2, rows
    assert "Solved by one alone" not in (folder / "both/comparison.html").read_text()
    lines = (folder / "milp/results.csv").read_text().replace("unsat,unsat,solved", "unsat,timeout,unknown")
    (folder / "milp/results.csv").write_text(lines)
    done = vnncomp(None, "--compare", folder / "auto", folder / "milp", "--out", folder / "both")
    assert done.returncode == 0 and "Solved by one alone" in (folder / "both/comparison.html").read_text(), done
    (folder / "milp/results.csv").write_text(lines.replace("unsat,timeout,unknown", "unsat,sat,wrong"))
    done = vnncomp(None, "--compare", folder / "auto", folder / "milp", "--out", folder / "both")
    assert done.returncode == 1 and "WRONG: digits: " in done.stdout, done
    done = vnncomp(None, "--compare", folder / "auto", folder / "none")
    assert done.returncode == 66 and "none: is no folder of results" in done.stderr, done


def the_competition_s_scripts_look_at_what_they_are_given(plumb, folder):
    small_list(folder)
    scripts, variables = REPOSITORY / "vnncomp", os.environ | {"PLUMB": str(plumb.path)}

    def call(*arguments):
        return subprocess.run([scripts / arguments[0], *map(str, arguments[1:])], capture_output=True, text=True,
                              cwd=folder, env=variables, timeout=60)

    pair, spaced = "[('f', 'net.onnx'), ('g', 'a net.onnx')]", folder / "a net.onnx"
    assert call("prepare_instance.sh", "v1", "c", "net.onnx", "holds.vnnlib").returncode == 0
    done = call("prepare_instance.sh", "v1", "c", pair, "two.vnnlib")
    assert done.returncode == 1 and "a net.onnx is not there" in done.stderr, done
    shutil.copy(NETWORK, spaced)
    assert call("prepare_instance.sh", "v1", "c", pair, "two.vnnlib").returncode == 0
    for onnx, vnnlib, answer in ((pair, "two.vnnlib", "sat"), ("net.onnx", "holds.vnnlib", "unsat"),
                                 ("none.onnx", "holds.vnnlib", "error"), ("[none]", "holds.vnnlib", "error"),
                                 ("net.onnx", "two.vnnlib", "error")):
        done = call("run_instance.sh", "v1", "c", onnx, vnnlib, "result.txt", "9.5")
        assert done.returncode == 0 and (folder / "result.txt").read_text().splitlines()[0] == answer, (onnx, done)
        assert done.stdout.splitlines()[-1] == answer, done
    for arguments in (("v2", "c", "net.onnx", "holds.vnnlib", "result.txt", "9"), ("v1", "c"),
                      ("v1", "c", "net.onnx", "holds.vnnlib", "result.txt", "soon")):
        assert call("run_instance.sh", *arguments).returncode == 64, arguments


CHECKS = [check for check in list(globals().values())
          if getattr(getattr(check, "__code__", None), "co_varnames", ())[:2] == ("plumb", "folder")
          and check is not stand_in]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
