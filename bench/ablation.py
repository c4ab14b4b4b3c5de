#!/usr/bin/env python3
"""What each technique of the search gains: runs a list of properties with all techniques, and with each one left out.

    bench/ablation.py [LIST.csv ...] [--only CATEGORY ...] [--limit S] [--without NAME ...] [--jobs N] [--threads N]

The lists are those of scripts/vnncomp; the default is $PLUMB_SHARED/vnncomp-hard. Some samples of MLPs come on top. An
instance gets the smaller of its own timeout and --limit, and all its columns run one after the other, so that they see
the same machine. `cuts` is --no-cuts; the other names are those of `plumb verify --without`, all of them by default.

Prints a row for each instance: user seconds of the whole search, and with each technique left out (`-`: not decided). Then,
per column, how many instances it decides, the geometric mean of its time relative to the whole search, over instances
that both decide, and the answers that contradict a known verdict. Exit code 1 if there is one. The column `attack` is
the sweep in which no violated property may be proven. 77 if a list is absent.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "vnncomp/runner"))
from instances import read_instances  # noqa: E402 (found by the line above)

MNIST = f"mnist:{SHARED / 'data/mnist'}"
# network, epsilon, samples that need a tree
SAMPLES = [("mnist_rsl18a", "0.1", (2, 6, 7, 9, 11, 15, 44)), ("mnist_nor_mlp_b", "0.05", (3, 10, 13, 34)),
           ("mnist_adv_mlp_b_eps0.1", "0.1", (31, 40, 96)), ("mnist_mlp_9_100_nor", "0.02", (0, 1, 2)),
           ("mnist_cnn_small_adv", "0.1", (4, 12)), ("mnist_wk17a", "0.1", (65, 326))]
VERDICTS = {"holds": "unsat", "violated": "sat"}


class Question:
    def __init__(self, name, arguments, known="", timeout=math.inf):
        self.name, self.arguments, self.known, self.timeout = name, [str(word) for word in arguments], known, timeout


def questions_of(lists, only):
    for path in lists:
        for one in read_instances(path)[0]:
            if only and one.category not in only:
                continue
            files = [file for _, file in one.pairs()]
            yield Question(one.name, [files[0], one.property_file, *files[1:]], one.known, one.timeout)
    for network, epsilon, samples in SAMPLES if not only or "samples" in only else ():
        for sample in samples:
            yield Question(f"{network} {sample}", [SHARED / f"networks/{network}.onnx", "--data", MNIST, "--sample",
                                                   sample, "--eps", epsilon])


def techniques_of(plumb):
    """The names that the program knows."""
    shown = subprocess.run([plumb, "verify", "--help"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"--without LIST\s+Ablation:.*?list\s+out\s+of\s+([a-z,\s-]*?)\s+--", shown, re.DOTALL)
    return re.sub(r"\s", "", found[1]).split(",") + ["cuts"]


def decide(plumb, question, limit, threads, technique):
    """(sat, unsat or nothing; user seconds)"""
    timeout = min(limit, question.timeout)
    leave_out = [] if technique is None else ["--no-cuts"] if technique == "cuts" else ["--without", technique]
    command = [plumb, "verify", *question.arguments, "--timeout", str(timeout), "--threads", str(threads), "--json", "-q",
               *leave_out]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if process.returncode not in (0, 1, 2):
            return "error", used.ru_utime
        return VERDICTS.get(json.loads(output.readline())["verdict"], ""), used.ru_utime


def row_of(plumb, question, columns, limit, threads):
    return [decide(plumb, question, limit, threads, technique) for technique in columns]


def is_decided(answer, known):
    return answer in ("sat", "unsat") and known in ("", answer)


def cell_of(answer, seconds, known):
    if is_decided(answer, known):
        return f"{seconds:.2f}"
    return {"": "-", "error": "error"}.get(answer, "WRONG")


def summary(rows, column):
    """Decided instances, wrong ones, and how much longer the column takes where both decide."""
    decided = sum(is_decided(row[column][0], question.known) for question, row in rows)
    wrong = [question.name for question, row in rows if {row[column][0], question.known} == {"sat", "unsat"}]
    ratios = [math.log(max(row[column][1], 0.01) / max(row[0][1], 0.01)) for question, row in rows
              if all(is_decided(row[k][0], question.known) for k in (0, column))]
    return decided, wrong, math.exp(sum(ratios) / len(ratios)) if ratios else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="*", type=pathlib.Path, default=[SHARED / "vnncomp-hard/instances.csv"])
    parser.add_argument("--plumb", default=str(REPOSITORY / "build/release/plumb"))
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--without", nargs="*", help="none: only the whole search is run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if not all(path.is_file() for path in options.lists):
        print(f"ablation: skipped: one of {', '.join(map(str, options.lists))} is not there (set PLUMB_SHARED)")
        return 77
    questions = list(questions_of(options.lists, options.only))
    columns = [None, *(techniques_of(options.plumb) if options.without is None else options.without)]
    width = max(len(question.name) for question in questions)
    print(f"{'seconds':{width}}  {'all':>11}" + "".join(f"  {name:>11}" for name in columns[1:]), flush=True)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(row_of, options.plumb, question, columns, options.limit, options.threads): question
                   for question in questions}
        for done in concurrent.futures.as_completed(running):
            question, row = running[done], done.result()
            rows.append((question, row))
            cells = [cell_of(answer, seconds, question.known) for answer, seconds in row]
            print(f"{question.name:{width}}" + "".join(f"  {cell:>11}" for cell in cells), flush=True)
    summaries = [summary(rows, k) for k in range(len(columns))]
    print(f"{'decided':{width}}" + "".join(f"  {decided:>11}" for decided, _, _ in summaries))
    print(f"{'time':{width}}" + "".join(f"  {mean:>11.2f}" for _, _, mean in summaries))
    wrong = sorted({name for _, names, _ in summaries for name in names})
    print(f"wrong: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
