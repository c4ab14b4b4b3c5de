#!/usr/bin/env python3
"""plumb accuracy as a user meets it, on the example that comes with the project: stopped in every way, continued, on
stores that are broken, and by two processes at once.

    tests/cli/accuracy.py --plumb build/release/plumb [CHECK ...]

Here: what a run answers; the rest is in accuracy_stops.py and accuracy_stores.py. Closing line: `N passed, N failed, N
skipped`.
"""

import gzip
import json
import subprocess
import sys

import numpy as np

import accuracy_stops
import accuracy_stores
from accuracy_program import Program, refused, rows, solves, verdicts
from checks import checks_of, main
from example import DATA, NETWORK, REPOSITORY


def answers_are_those_of_verify(plumb, folder):
    lines, (summary,) = plumb.json(folder / "run.db")
    done = subprocess.run([plumb.path, "verify", NETWORK, "--data", DATA, "--samples", "0:150", "--eps", "0.06",
                           "--json"], capture_output=True, text=True, timeout=300)
    *expected, last = [json.loads(line) for line in done.stdout.splitlines()]
    timed = {"seconds", "statistics", "question"}  # a store knows the question by its settings
    for line, other in zip(lines, expected, strict=True):
        assert set(line) >= set(other), (set(line), set(other))
        assert all(line[key] == other[key] for key in other if key not in timed), (line, other)
        assert line["statistics"]["nodes"] == other["statistics"]["nodes"], (line, other)
        assert line["statistics"]["layers"] == other["statistics"]["layers"], (line, other)
    for key in set(last["summary"]) - timed - {"skipped"}:
        assert summary[key] == last["summary"][key], key
    assert summary["exact"] and summary["error_lower"] == summary["error_upper"] > 0, summary


def a_store_that_is_complete_is_not_solved_again(plumb, folder):
    first, (summary,) = plumb.json(folder / "run.db", samples="0:40")
    again, (repeated,) = plumb.json(folder / "run.db", samples="0:40")
    assert summary["solved_here"] == 40 and repeated["solved_here"] == 0 and first == again, repeated
    more, (extended,) = plumb.json(folder / "run.db", samples="20:60")
    assert extended["solved_here"] == 20 and extended["samples"] == 40, extended
    assert more[:20] == first[20:], "what was stored is printed as it was"


def a_sweep_equals_separate_runs(plumb, folder):
    epsilons = ("0.02", "0.04", "0.06", "0.09")
    lines, summaries = plumb.json(folder / "sweep.db", eps=",".join(reversed(epsilons)), samples="0:60")
    assert [summary["epsilon"] for summary in summaries] == list(epsilons), summaries
    separate = {}
    for epsilon, summary in zip(epsilons, summaries, strict=True):
        alone, (expected,) = plumb.json(folder / f"{epsilon}.db", eps=epsilon, samples="0:60")
        separate.update(verdicts(alone))
        for key in ("robust", "vulnerable", "unknown", "misclassified", "error_lower", "error_upper"):
            assert summary[key] == expected[key], (epsilon, key)
    assert verdicts(lines) == separate
    implied = [line for line in lines if line["implied_by"]]
    assert len(implied) == sum(summary["implied"] for summary in summaries) > 60, len(implied)
    assert summaries[0]["solved_here"] + len(implied) == 4 * 60, "every question is solved or implied"
    images = np.frombuffer(gzip.decompress(
        (REPOSITORY / "examples/digits/t10k-images-idx3-ubyte.gz").read_bytes()), np.uint8, offset=16)
    images = images.reshape(-1, 256).astype(np.float32) / np.float32(255)
    for line in lines:
        if line["verdict"] != "violated":
            continue
        apart = np.abs(np.array(line["witness"]) - images[line["sample"]].astype(np.float64)).max()
        assert apart <= float(line["epsilon"]), (line["sample"], line["epsilon"], apart)


def perturbations_are_other_questions(plumb, folder):
    def run(store, *options):
        arguments = [plumb.path, "accuracy", NETWORK, "--data", DATA, "--samples", "0:20", "--out", str(store), "--json"]
        return subprocess.run([*arguments, *options], capture_output=True, text=True, timeout=120)
    done = run(folder / "run.db", "--perturbation", "brightness:-0.2,0.2")
    assert done.returncode == 0, done.stderr
    *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        verified = subprocess.run([plumb.path, "verify", NETWORK, "--data", DATA, "--sample", str(line["sample"]),
                                   "--perturbation", "brightness:-0.2,0.2", "--json"], capture_output=True, text=True)
        assert json.loads(verified.stdout)["verdict"] == line["verdict"], line
    assert last["summary"]["samples"] == 20 and last["summary"]["exact"], last
    refused(run(folder / "run.db", "--perturbation", "brightness:-0.2,0.3"), 65, "perturbation brightness:-0.2,0.2")
    refused(run(folder / "run.db", "--eps", "0.1"), 65, "eps none; this command says 0.1")
    plumb.json(folder / "ball.db", samples="0:3")
    refused(run(folder / "ball.db", "--perturbation", "linf:0.06"), 65, "eps 0.06; this command says none")
    refused(run(folder / "none.db"), 64, "--eps")


def unknown_results_are_solved_again_with_a_larger_limit(plumb, folder):
    store = folder / "run.db"
    _, (small,) = plumb.json(store, "--work-limit", 1, eps="0.08", samples="0:60")
    assert small["unknown"] > 0 and small["error_lower"] < small["error_upper"], small
    _, (same,) = plumb.json(store, "--work-limit", 1, eps="0.08", samples="0:60")
    assert same["solved_here"] == 0, same
    _, (never,) = plumb.json(store, "--rerun", "never", eps="0.08", samples="0:60")
    assert never["solved_here"] == 0, never
    _, (unconfirmed,) = plumb.json(store, "--rerun", "violated-unconfirmed", eps="0.08", samples="0:60")
    assert unconfirmed["solved_here"] == 0, unconfirmed
    _, (larger,) = plumb.json(store, eps="0.08", samples="0:60")
    assert larger["solved_here"] == small["unknown"] and larger["exact"], larger
    kept = rows(store, "SELECT verdict FROM history")
    assert kept == [("unknown",)] * small["unknown"], kept
    _, (every,) = plumb.json(store, "--rerun", "all", eps="0.08", samples="0:60")
    assert every["solved_here"] == 60 and solves(store) == 60 + small["unknown"] + 60, every
    _, (once,) = plumb.json(store, "--work-limit", 1, "--rerun", "all", eps="0.08", samples="0:60")
    assert once["exact"], "a proof was replaced by an unknown"


def pgd_is_counted_beside(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, eps="0.1", samples="0:30")
    lines, (summary,) = plumb.json(store, "--pgd", eps="0.1", samples="0:30")
    assert summary["pgd_tried"] == 30 and 0 < summary["pgd_found"] <= summary["vulnerable"], summary
    assert summary["solved_here"] == 0 and solves(store) == 30, "adding PGD's outcome is no solve of its own"
    assert all(line["verdict"] == "violated" for line in lines if line["pgd"]), "PGD's witnesses are confirmed"
    again, _ = plumb.json(folder / "fresh.db", "--pgd", eps="0.1", samples="0:30")
    assert [line["pgd"] for line in again] == [line["pgd"] for line in lines]


def samples_can_come_from_a_file(plumb, folder):
    (folder / "list").write_text("# hard ones\n12 3\n\n12\n0 # easy\n")
    arguments = [plumb.path, "accuracy", NETWORK, "--data", DATA, "--eps", "0.06", "--out", folder / "run.db", "--json",
                 "--samples-file"]
    done = subprocess.run([*arguments, folder / "list"], capture_output=True, text=True, timeout=60)
    *lines, _ = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["sample"] for line in lines] == [12, 3, 0], done
    for text, code in (("1000\n", 65), ("two\n", 65), ("", 65)):
        (folder / "list").write_text(text)
        refused(subprocess.run([*arguments, folder / "list"], capture_output=True, text=True, timeout=60), code, "list")
    refused(subprocess.run([*arguments, folder / "none"], capture_output=True, text=True, timeout=60), 66, "none")


def the_table_says_exact_or_shows_bounds(plumb, folder):
    done = plumb.run(folder / "exact.db", samples="0:60")
    assert done.returncode == 0 and not done.stderr and "% exact" in done.stdout, done
    assert max(map(len, done.stdout.splitlines())) <= 100, done.stdout
    for word in ("test error", "adversarial error", "decided", "median", "maximum", "subproblems per sample"):
        assert word in done.stdout, word
    done = plumb.run(folder / "open.db", "--work-limit", 1, samples="0:60", eps="0.08")
    assert " to " in done.stdout and "exact" not in done.stdout, done.stdout


if __name__ == "__main__":
    sys.exit(main(checks_of(sys.modules[__name__], accuracy_stops, accuracy_stores), Program))
