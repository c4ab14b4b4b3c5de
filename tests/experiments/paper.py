#!/usr/bin/env python3
"""experiments/paper with every item at the smallest size: its measurements, its checks, its output.

    tests/experiments/paper.py --plumb build/release/plumb

All rows and columns must be present, bounds must be in order (PGD <= lower <= upper <= previous upper), and verdicts on
mnist_wk17a must be the published ones. The same check must detect each of a list of false results. Exit code 77 if the
shared folder is absent. Closing line: `N passed, N failed`.
"""

import argparse
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "experiments"))

from reproduction import check, numbers, rows  # noqa: E402
from reproduction.items import ITEMS  # noqa: E402


class Run:
    def __init__(self, plumb, out):
        self.plumb, self.out = plumb, out
        self.truth = check.read_truth(SHARED / "truth/mnist_wk17a_eps0.1_first500.csv")

    def paper(self, *arguments):
        command = [REPOSITORY / "experiments/paper", "--smoke", "--plumb", self.plumb, "-o", self.out, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def data(self, item):
        return json.loads((self.out / "results" / f"{item}.json").read_text())["data"]

    def complaints(self, item, change):
        """The complaints of the item's own check, after `change` was applied to the measurements."""
        data = copy.deepcopy(self.data(item))
        change(data)
        return list(ITEMS[item].complaints(data, self.truth))


def every_item_is_complete_and_nothing_is_wrong(run):
    found = list(check.complaints(run.out, run.truth))
    assert not found, found


def set_(data, value, *path):
    for step in path[:-1]:
        data = data[step]
    assert data[path[-1]] != value, path
    data[path[-1]] = value


def flipped(verdicts):
    sample = next(k for k, verdict in verdicts.items() if verdict == "holds")
    verdicts[sample] = "violated"


def double(cases, method):
    exact = next(case for case in cases if case["method"] == "exact")
    next(case for case in cases if case["method"] == method)["lower"] = 2 * exact["upper"]


# Each of these makes a result false.
DOCTORED = {
    "ablation": [lambda d: d["rows"].pop("asymmetric"), lambda d: flipped(d["rows"]["search"]["verdicts"]),
                 lambda d: set_(d, 1e6, "rows", "control", "build")],
    "distortion": [lambda d: d["cases"].pop("mnist_mlp_3x20 l2"),
                   lambda d: double(d["cases"]["mnist_mlp_2x20 linf"], "lp")],
    "adversarial-accuracy": [
        lambda d: d["rows"].pop("cifar-lpd-res-8_255"), lambda d: flipped(d["rows"]["lpd-cnna-0.1"]["verdicts"]),
        lambda d: set_(d, {}, "rows", "lpd-cnna-0.1", "verdicts"),
        lambda d: set_(d, 0.9, "rows", "lpd-cnna-0.2", "pgd"),
        lambda d: set_(d, 0.999, "rows", "lpd-cnna-0.1", "upper"),
        lambda d: set_(d, 3, "rows", "lpd-cnna-0.1", "unknown"),
        lambda d: set_(d, 0.0, "rows", "sdpd-mlpa-0.1", "alone", "linear")],
    "determinants": [lambda d: d["rows"].pop("adv-mlpb-0.1"),
                     lambda d: set_(d, 1.0, "rows", "lpd-cnna-0.1", "search", "active"),
                     lambda d: set_(d, None, "rows", "lpd-cnna-0.3", "lp"),
                     lambda d: set_(d, 10, "rows", "lpd-cnna-0.1", "lp", "labels_eliminated")],
    "nodes": [lambda d: d["rows"].pop("lpd-cnnb-0.3"), lambda d: set_(d, 10**9, "rows", "sdpd-mlpa-0.1", "p95")],
    "solvers": [lambda d: d["rows"].pop("cbc"), lambda d: set_(d, 2, "rows", "highs", "lower"),
                lambda d: set_(d, {"8": "holds"}, "rows", "glpk", "verdicts")],
    "pgd-misses": [lambda d: d["rows"].pop("lpd-cnna-0.4"),
                   lambda d: set_(d, 0.2, "rows", "lpd-cnna-0.1", "samples", 0, "upper")],
    "sparsification": [lambda d: d["rows"].pop("0.8-0.25"), lambda d: set_(d, 0.05, "rows", "0.8-0.25", "test_error"),
                       lambda d: set_(d, [0, 0], "rows", "0.9-0.25", "zeroed")],
    "stability": [lambda d: d["rows"].pop("sdpd-mlpa-0.1"), lambda d: d["rows"]["lpd-cnna-0.1"]["linear"].pop("0.102"),
                  lambda d: set_(d, 400, "rows", "lpd-cnna-0.1", "linear", "0.102", "unstable"),
                  lambda d: set_(d, 0, "rows", "adv-mlpb-0.1", "linear", "0.2", "unstable")],
    "open-ideas": [lambda d: d["searches"].pop("cuts: without"), lambda d: d["ladder"]["adv-mlpb-0.1"].pop("alpha"),
                   lambda d: set_(d, 5000, "ladder", "lpd-cnna-0.1", "lp", "unstable")],
}


def the_check_notices_every_false_result(run):
    assert set(DOCTORED) == set(ITEMS)
    for item, changes in DOCTORED.items():
        assert not run.complaints(item, lambda data: None), item
        for number, change in enumerate(changes):
            assert run.complaints(item, change), f"{item}: change {number} was not noticed"


def the_check_notices_what_is_missing_or_not_complete(run):
    path = run.out / "results" / "nodes.json"
    text = path.read_text()
    try:
        path.write_text(text.replace('"complete": true', '"complete": false'))
        assert any("nodes: not complete" in one for one in check.complaints(run.out, run.truth))
        path.unlink()
        assert any("nodes: no results" in one for one in check.complaints(run.out, run.truth))
    finally:
        path.write_text(text)


def the_papers_tables_are_whole(run):
    paper = {row.name for row in rows.of_the_paper()}
    assert len(paper) == 11 and set(rows.STANDS_FOR) == paper
    sizes = {"ablation": 4, "determinants": 11, "nodes": 11, "solvers": 4, "sparsification": 4, "published": 10}
    assert {item: len(numbers.rows(item)) for item in sizes} == sizes
    for item in ("determinants", "nodes"):
        assert set(numbers.rows(item)) == paper
    for name, entry in numbers.rows("determinants").items():
        # The paper's own means must add up to its totals, to the digits it prints.
        assert abs(entry["unstable"] + entry["active"] + entry["inactive"] - entry["total"]) < 0.02, name
        assert len({numbers.rows(i)[name]["seconds"] for i in ("adversarial-accuracy", "determinants", "nodes")}) == 1
    assert {row.network for row in rows.of_the_paper() if row.weights == rows.OWN} == {"mnist_wk17a", "mnist_rsl18a"}


def table_lines(source, label, pattern):
    """The lines of a table of paper.tex, as cells."""
    table = source[source.index(f"label{{{label}}}"):]
    lines = re.split(r"\\\\\s", table[:table.index("end{table}")])
    return [[cell.strip() for cell in line.split("&")] for line in lines if re.search(pattern, line)]


def the_numbers_are_those_of_the_papers_text(run):
    """Every number of the tables must occur in the line of paper.tex that it is said to come from."""
    source = (SHARED / "paper.tex").read_text()
    named = r"\\(lpnet|advnet|sdpnet)-"
    lines = table_lines(source, "tab:adv-acc-results", named)
    entries = numbers.rows("adversarial-accuracy").values()
    assert len(lines) == len(entries) == 11, len(lines)
    for cells, entry in zip(lines, entries):
        line = " ".join(cells)
        percents = [float(text) for text in re.findall(r"([\d.]+)\\%", line)]
        expected = [entry[key] for key in ("test_error", "pgd", "lower", "soa", "upper") if entry[key] is not None]
        assert percents == expected and ("checkmark" in line) == entry["exact"], (line, entry)
        assert float(cells[-1]) == entry["seconds"], (line, entry)
    tables = {
        "ablation": (["tab:ablation"], r"^[^%]*(Control|rogressive|restricted|asymmetric)[^&]*&[^&]*\d",
                     ("build", "solve", "total", "nodes_mean", "nodes_median", "timed_out")),
        "determinants": (["tab:stability-and-elimination", "tab:additional-solve-statistics-stability-and-elimination"],
                         named,
                         ("seconds", "labels_eliminated", "unstable", "active", "inactive", "total")),
        "nodes": (["tab:additional-solve-statistics-nodes"], named,
                  ("seconds", "mean", "median", "p90", "p95", "p99", "p99_9", "maximum")),
        "solvers": (["tab:ablation-solver"], r"(Ours w/|PGD / SOA)", ("lower", "upper", "seconds")),
        "sparsification": (["tab:sdp-sparsification"], r"^[^&]*\d\.\d+ & \d\.\d+ &",
                           ("test_error", "lower", "upper", "seconds", "timed_out"))}
    for item, (labels, pattern, keys) in tables.items():
        lines = [cells for label in labels for cells in table_lines(source, label, pattern)]
        entries = numbers.rows(item)
        assert len(lines) == len(entries), (item, len(lines))
        for cells, (name, entry) in zip(lines, entries.items()):
            printed = [None if "--" in cell else float(re.search(r"[\d.]+", cell)[0]) for cell in cells[-len(keys):]]
            assert printed == [entry[key] for key in keys], (item, name, printed)


def the_page_holds_every_item_and_asks_for_nothing(run):
    page, text = (run.out / "paper.html").read_text(), (run.out / "paper.md").read_text()
    for name, item in ITEMS.items():
        assert f'<section id="{name}">' in page and f"## {item.TITLE}" in text, name
    assert page.count("<svg") == 4 and not re.search(r"<script|<link|@import|src=|url\((?!#)", page), "requests"
    assert "stand-in" in page and "paper, table 3" in page and "4.38 %" in page and "48.98 %" in text
    for figure in re.findall(r"\]\((figures/[^)]+)\)", text):
        assert "<svg" in (run.out / figure).read_text(), figure
    assert "not yet measured" not in page.split("Networks that the paper does not have")[0]


def a_second_run_measures_nothing_again(run):
    journal = run.out / "journal.jsonl"
    before, data = journal.read_bytes(), run.data("stability")
    journal.write_bytes(before + b'{"key": "cut sh')  # as a kill leaves it
    done = run.paper("stability")
    assert done.returncode == 0 and journal.read_bytes() == before and run.data("stability") == data, done


def rows_can_be_run_one_by_one(run):
    before = json.loads((run.out / "results/nodes.json").read_text())
    done = run.paper("nodes", "--rows", "lpd-cnna-0.1")
    after = json.loads((run.out / "results/nodes.json").read_text())
    assert done.returncode == 0 and after["complete"] and after["data"] == before["data"], done
    with tempfile.TemporaryDirectory() as folder:
        done = run.paper("nodes", "--rows", "lpd-cnna-0.1", "-o", folder)
        alone = json.loads((pathlib.Path(folder) / "results/nodes.json").read_text())
        assert done.returncode == 0 and list(alone["data"]["rows"]) == ["lpd-cnna-0.1"] and not alone["complete"], alone
        assert "not complete yet" in (pathlib.Path(folder) / "paper.md").read_text()


def without_time_it_says_so_and_keeps_what_is_there(run):
    with tempfile.TemporaryDirectory() as folder:
        done = run.paper("--budget", "0", "-o", folder)
        assert done.returncode == 0 and "budget is spent" in done.stderr, done
        assert (pathlib.Path(folder) / "paper.html").exists()


def what_is_not_there_is_named(run):
    done = run.paper("--mnist", "/nowhere")
    assert done.returncode == 66 and "/nowhere is not there" in done.stderr and "--mnist" in done.stderr, done
    for words, what in ((("tables",), "no such item: tables"), (("--rows", "cnn"), "no such row: cnn")):
        done = run.paper(*words)
        assert done.returncode == 2 and what in done.stderr, done


CHECKS = (every_item_is_complete_and_nothing_is_wrong, the_check_notices_every_false_result,
          the_check_notices_what_is_missing_or_not_complete, the_papers_tables_are_whole,
          the_numbers_are_those_of_the_papers_text, the_page_holds_every_item_and_asks_for_nothing,
          a_second_run_measures_nothing_again, rows_can_be_run_one_by_one,
          without_time_it_says_so_and_keeps_what_is_there, what_is_not_there_is_named)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        run = Run(plumb, pathlib.Path(folder) / "paper")
        done = run.paper()
        if done.returncode:
            print(done.stderr)
            return 1
        for one in CHECKS:
            try:
                one(run)
                print(f"passed: {one.__name__}")
            except AssertionError as error:
                failed += 1
                print(f"FAILED: {one.__name__}: {error}")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
