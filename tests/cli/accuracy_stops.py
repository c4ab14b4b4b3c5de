"""Runs that are stopped in every way, continued, and shared by two processes; for accuracy.py."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import time

from accuracy_program import results, rows, solves, verdicts, wait_for_results


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


def an_interrupted_run_has_the_test_error_of_all_samples(plumb, folder):
    store = folder / "run.db"
    process = plumb.start(store, "--jobs", 1, samples="0:1000")
    wait_for_results(store, 5)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "pending" in text, text
    assert "The test error is 1.70 %, over all 1,000 samples" in text, text
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
    # Slow samples, so that there is something to interrupt twice. Two signals at once, as timeout(1) sends them, are one.
    for pause, codes in ((0.005, [130]), (0.15, [130, -signal.SIGINT])):
        store = folder / f"slow{pause}.db"
        process = plumb.start(store, "--engine", "milp", "--solver", "glpk", eps="0.12")
        wait_for_results(store, 1)
        process.send_signal(signal.SIGINT)
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode in codes, (pause, process.returncode)


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
