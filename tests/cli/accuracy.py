#!/usr/bin/env python3
"""plumb accuracy as a user meets it, on the example that comes with the project: stopped in every way, continued, on
stores that are broken, and by two processes at once.

    tests/cli/accuracy.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import contextlib
import gzip
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np

from checks import Skipped, main

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
NETWORK = str(REPOSITORY / "examples/digits/digits.onnx")
DATA = f"mnist:{REPOSITORY / 'examples/digits'}"


class Program:
    def __init__(self, path):
        self.path = path

    def arguments(self, store, *options, eps="0.06", samples="0:150", network=NETWORK, data=DATA):
        return [self.path, "accuracy", network, "--data", data, "--eps", eps, "--samples", samples, "--out",
                str(store), *map(str, options)]

    def run(self, store, *options, **question):
        return subprocess.run(self.arguments(store, *options, **question), capture_output=True, text=True, timeout=300)

    def start(self, store, *options, **question):
        return subprocess.Popen(self.arguments(store, *options, **question), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def json(self, store, *options, **question):
        """The lines about samples, and the summaries by epsilon."""
        done = self.run(store, "--json", *options, **question)
        assert done.returncode == 0, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return [line for line in lines if "summary" not in line], [line["summary"] for line in lines if "summary" in line]


def rows(store, sql):
    with contextlib.closing(sqlite3.connect(store)) as database:
        return database.execute(sql).fetchall()


def verdicts(lines):
    return {(line["sample"], line["epsilon"]): (line["verdict"], line["misclassified"]) for line in lines}


def solves(store):
    return rows(store, "SELECT (SELECT count(*) FROM result) + (SELECT count(*) FROM history)")[0][0]


def refused(done, code, *words):
    assert done.returncode == code and done.stderr.startswith("plumb: ") and not done.stdout, done
    assert all(word in done.stderr for word in words), (words, done.stderr)


def answers_are_those_of_verify(plumb, folder):
    lines, (summary,) = plumb.json(folder / "run.db")
    done = subprocess.run([plumb.path, "verify", NETWORK, "--data", DATA, "--samples", "0:150", "--eps", "0.06",
                           "--json"], capture_output=True, text=True, timeout=300)
    *expected, last = [json.loads(line) for line in done.stdout.splitlines()]
    timed = {"seconds", "statistics"}
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


def killed_thirty_times_equals_uninterrupted(plumb, folder):
    question = {"samples": "0:300"}
    expected, (summary,) = plumb.json(folder / "whole.db", **question)
    seed = int(os.environ.get("PLUMB_TEST_SEED", time.time_ns() % 10**6))
    chance, store, seen, amid = random.Random(seed), folder / "killed.db", 0, 0
    for _ in range(30):
        # Now and then before anything is written; mostly a moment after some more results have been.
        more, moment = chance.randint(0, 9), chance.uniform(0, 0.1)
        process = plumb.start(store, **question)
        while more and process.poll() is None and results(store) < seen + more:
            time.sleep(0.002)
        time.sleep(moment if more == 0 else moment / 10)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        known = results(store)
        assert known >= seen, f"results were lost: {seen} then {known} (seed {seed})"
        amid += 0 < known < 300
        seen = known
    assert amid >= 10, f"{amid} kills fell between the first and the last result (seed {seed})"
    lines, (continued,) = plumb.json(store, **question)
    assert verdicts(lines) == verdicts(expected), f"other verdicts (seed {seed})"
    assert solves(store) == 300, f"{solves(store)} solves of 300 samples (seed {seed})"
    assert rows(store, "SELECT count(*) FROM claim") == [(0,)], f"claims are left (seed {seed})"
    for key in ("robust", "vulnerable", "unknown", "pending", "misclassified", "error_lower", "error_upper"):
        assert continued[key] == summary[key], (key, seed)


def results(store):
    return rows(store, "SELECT count(*) FROM result")[0][0] if store.exists() and tables(store) else 0


def tables(store):
    try:
        return rows(store, "SELECT count(*) FROM sqlite_master WHERE name = 'result'")[0][0] == 1
    except sqlite3.DatabaseError:
        return False


def an_interrupted_run_has_the_test_error_of_all_samples(plumb, folder):
    store = folder / "run.db"
    process = plumb.start(store, "--jobs", 1, samples="0:1000")
    wait_for_results(store, 5)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "pending" in text, text
    assert text.splitlines()[2].split()[1:3] == ["1.70", "%"], text
    assert results(store) < 1000, "too late to tell"


def the_first_interrupt_prints_what_is_known_the_second_ends_it(plumb, folder):
    store = folder / "run.db"
    process = plumb.start(store, "--json", samples="0:1000")
    wait_for_results(store, 5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and not err, (process.returncode, err)
    *lines, last = [json.loads(line) for line in out.splitlines()]
    summary = last["summary"]
    assert summary["interrupted"] and 5 <= len(lines) < 1000 and summary["pending"] == 1000 - len(lines), summary
    assert summary["error_upper"] == (summary["vulnerable"] + summary["unknown"] + summary["pending"]) / 1000, summary
    assert solves(store) == len(lines) and rows(store, "SELECT count(*) FROM claim") == [(0,)]
    assert not any("interrupted" in line["reason"] for line in lines)
    # Slow samples, so that there is something to interrupt twice.
    process = plumb.start(folder / "slow.db", "--engine", "milp", "--solver", "glpk", eps="0.12")
    wait_for_results(folder / "slow.db", 1)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode in (130, -signal.SIGINT), process.returncode


def wait_for_results(store, count):
    for _ in range(2000):
        if store.exists() and tables(store) and rows(store, "SELECT count(*) FROM result")[0][0] >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"{store} has no {count} results after 40 s")


def two_processes_solve_every_sample_once(plumb, folder):
    store = folder / "run.db"
    both = [plumb.start(store, "--json", "--jobs", 1, samples="0:200") for _ in range(2)]
    ends = [process.communicate(timeout=300) for process in both]
    assert all(process.returncode == 0 for process in both), ends
    summaries = [json.loads(out.splitlines()[-1])["summary"] for out, _ in ends]
    assert sum(summary["solved_here"] for summary in summaries) == 200 == solves(store), summaries
    assert all(summary["pending"] == 0 for summary in summaries), summaries
    assert rows(store, "SELECT count(*) FROM history") == [(0,)]
    counts = ("robust", "vulnerable", "unknown", "misclassified")
    assert [summaries[0][key] for key in counts] == [summaries[1][key] for key in counts], summaries


def claims_of_a_dead_process_are_taken_over(plumb, folder):
    store = folder / "run.db"
    process = plumb.start(store, samples="0:1000")
    wait_for_results(store, 3)
    while not rows(store, "SELECT count(*) FROM claim")[0][0]:
        time.sleep(0.001)
    process.send_signal(signal.SIGSTOP)
    held = {sample for sample, in rows(store, "SELECT sample FROM claim")}
    process.send_signal(signal.SIGKILL)
    process.communicate()
    begin = time.monotonic()
    lines, _ = plumb.json(store, samples="0:150")
    assert len(lines) == 150 and time.monotonic() - begin < 50, "a lease was waited for"
    assert held, "the process held nothing when it was stopped"


def a_stopped_process_that_lost_its_claims_adds_nothing(plumb, folder):
    store = folder / "run.db"
    process = plumb.start(store, "--json", "--jobs", 1)
    wait_for_results(store, 3)
    stop_between_transactions(process, store)
    with contextlib.closing(sqlite3.connect(store)) as database:  # as if it had been silent for long
        database.execute("UPDATE run SET heartbeat = heartbeat - 1000")
        database.commit()
    assert rows(store, "SELECT count(*) FROM claim")[0][0] > 0, "the process held nothing when it was stopped"
    lines, _ = plumb.json(store)
    assert len(lines) == 150
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["summary"]["pending"] == 0
    assert solves(store) == 150, "a sample was recorded twice"


def stop_between_transactions(process, store):
    while True:
        process.send_signal(signal.SIGSTOP)
        try:
            with contextlib.closing(sqlite3.connect(store, timeout=0.2)) as database:
                database.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError:  # it was stopped while it wrote
            process.send_signal(signal.SIGCONT)
            time.sleep(0.003)


def other_questions_are_refused_with_the_difference(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, samples="0:5")
    before = store.read_bytes()
    refused(plumb.run(store, samples="0:5", eps="0.1"), 65, "was made with eps 0.06; this command says 0.1",
            "use another --out, or --eps 0.06 to continue")
    refused(plumb.run(store, "--norm", "l2", samples="0:5"), 65, "norm linf; this command says l2")
    refused(plumb.run(store, "--domain", "-1,1", samples="0:5"), 65, "domain 0,1; this command says -1,1")
    refused(plumb.run(store, "--target", "3", samples="0:5"), 65, "target any other label; this command says 3")
    network = pathlib.Path(NETWORK).read_bytes()
    changed = folder / "changed.onnx"
    changed.write_bytes(changed_weight(network))
    refused(plumb.run(store, samples="0:5", network=str(changed)), 65, "network ", "digits.onnx (hash ",
            "changed.onnx (hash ")
    x = np.random.default_rng(1).random((20, 1, 16, 16), np.float32)
    np.savez(folder / "noise.npz", x=x, y=np.arange(20) % 10)
    refused(plumb.run(store, samples="0:5", data=f"npz:{folder / 'noise.npz'}"), 65, "data mnist:", "data ", "noise.npz")
    assert store.read_bytes() == before, "a store that was refused was written to"
    # The same question under other names is the same.
    copied = folder / "copied.onnx"
    shutil.copy(NETWORK, copied)
    os.symlink(REPOSITORY / "examples/digits", folder / "digits")
    _, (summary,) = plumb.json(store, samples="0:5", network=str(copied), data=f"mnist:{folder / 'digits'}",
                               eps="6/100")
    assert summary["solved_here"] == 0, summary


def changed_weight(network):
    import onnx
    model = onnx.load_from_string(network)
    weight = next(t for t in model.graph.initializer if t.data_type == onnx.TensorProto.FLOAT and len(t.dims) > 1)
    values = onnx.numpy_helper.to_array(weight).copy()
    values.flat[0] += 1e-3
    weight.CopyFrom(onnx.numpy_helper.from_array(values, weight.name))
    return model.SerializeToString()


def broken_stores_are_named_and_not_written_to(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, samples="0:40")
    whole = store.read_bytes()

    def attempt(name, content, code, *words):
        path = folder / name
        path.write_bytes(content)
        refused(plumb.run(path, samples="0:41"), code, name, *words)
        assert path.read_bytes() == content, f"{name} was written to"

    attempt("text.db", b"this is a letter, not a store\n" * 40, 65, "is not a store")
    attempt("half.db", whole[:len(whole) // 2], 65, "damaged")
    attempt("short.db", whole[:4096], 65, "damaged")
    attempt("few.db", whole[:50], 65)
    place = whole.index(b"linear bounds")
    attempt("flipped.db", whole[:place] + b"L" + whole[place + 1:], 65, "damaged", "digest")
    attempt("zeros.db", whole[:8192] + bytes(4096) + whole[12288:], 65, "damaged")

    foreign = folder / "foreign.db"
    with contextlib.closing(sqlite3.connect(foreign)) as database:
        database.execute("CREATE TABLE recipe (name TEXT)")
        database.commit()
    refused(plumb.run(foreign, samples="0:5"), 65, "is an SQLite database, but not a store of Plumb")

    newer = folder / "newer.db"
    newer.write_bytes(whole)
    with contextlib.closing(sqlite3.connect(newer)) as database:
        database.execute("PRAGMA user_version = 99")
    refused(plumb.run(newer, samples="0:5"), 65, "newer", "store version 99")

    refused(plumb.run(folder / "missing" / "run.db"), 66, "does not exist")
    refused(plumb.run(folder), 65, "is not a file")
    (folder / "empty.db").write_bytes(b"")
    assert plumb.run(folder / "empty.db", samples="0:5").returncode == 0


def a_full_disk_loses_nothing(plumb, folder):
    place = folder / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", place], capture_output=True)
    if mounted.returncode != 0:
        raise Skipped("a small file system cannot be mounted here")
    try:
        store = place / "run.db"
        done = plumb.run(store, samples="0:1000", eps="0.02")
        refused(done, 66, "the disk is full", "the same command again")
        known = rows(store, "SELECT count(*) FROM result")[0][0]
        assert 0 < known < 1000 and rows(store, "PRAGMA integrity_check") == [("ok",)], known
        subprocess.run(["mount", "-o", "remount,size=64m", place], check=True)
        lines, (summary,) = plumb.json(store, samples="0:1000", eps="0.02")
        assert len(lines) == 1000 and summary["pending"] == 0, summary
        assert summary["solved_here"] == 1000 - known and solves(store) == 1000, (known, summary)
    finally:
        subprocess.run(["umount", place], check=True)


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


CHECKS = [check for check in list(globals().values())
          if getattr(getattr(check, "__code__", None), "co_varnames", ())[:2] == ("plumb", "folder")]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
