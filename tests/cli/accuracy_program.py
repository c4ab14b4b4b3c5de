"""plumb accuracy on the example that comes with the project, and what its stores hold."""

import contextlib
import json
import sqlite3
import subprocess
import time

from example import DATA, NETWORK


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


def results(store):
    return rows(store, "SELECT count(*) FROM result")[0][0] if store.exists() and tables(store) else 0


def tables(store):
    try:
        return rows(store, "SELECT count(*) FROM sqlite_master WHERE name = 'result'")[0][0] == 1
    except sqlite3.DatabaseError:
        return False


def wait_for_results(store, count):
    for _ in range(2000):
        if store.exists() and tables(store) and rows(store, "SELECT count(*) FROM result")[0][0] >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"{store} has no {count} results after 40 s")
