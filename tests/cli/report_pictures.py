#!/usr/bin/env python3
"""Pictures of reports of every kind, at every width, in light, dark and print, and what can be checked about them.

    tests/cli/report_pictures.py --plumb build/release/plumb --out build/release/report-pictures [RUN ...]

Kinds of runs: RUNS below. Pictures are named RUN-SETTING.png. Look at them after a change of src/report/page.
Closing line: `N passed, N failed, N skipped`.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from fractions import Fraction

import numpy as np

from accuracy_program import Program
from checks import Skipped, run_checks
from example import DATA, NETWORK, REPOSITORY
from report import data_of, forget_results
from show import call, succeeded

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
TWENTY = ",".join(f"{k / 200:g}" for k in range(1, 21))  # 0.005 to 0.1


# A radius, a range and a mean for each input.
SCALED = ("--eps-scale", "1,0.5,2,1,1,0.25", "--domain", "0,1;0,1;0,1;0,1;-1,1;0,2", "--mean", "0,0,0,0,0,0.125", "--std", "1")


def solved(plumb, store, *options, **question):
    done = plumb.run(store, *options, **question)
    assert done.returncode == 0, done.stderr
    return store


def interrupted(plumb, store, results, *options, **question):
    """A run that Ctrl-C stopped after it had so many results."""
    process = plumb.start(store, *options, **question)
    while not store.exists() or len(call(plumb, "show", store, "--csv").stdout.splitlines()) < results:
        assert process.poll() is None, "the run ended before it could be stopped"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130, process.returncode
    return store


def emptied(plumb, store, **question):
    """A run that was stopped before it had any result."""
    solved(plumb, store, **question)
    forget_results(store)
    return store


def table(folder):
    """Measurements of four kinds of flowers, as it were: a CSV file and a network that was fitted to it."""
    import onnx
    from onnx import TensorProto, helper
    chance = np.random.default_rng(5)
    centres = chance.uniform(0.2, 0.8, (4, 6))
    labels = np.arange(60) % 4
    values = np.clip(centres[labels] + chance.normal(0, 0.09, (60, 6)), 0, 1)
    rows = [",".join([str(label), *(f"{x:.3f}" for x in row)]) for label, row in zip(labels, values)]
    (folder / "flowers.csv").write_text("\n".join(rows) + "\n")
    # Hidden units are random; the last layer is the least-squares fit to the labels.
    inner, shift = chance.normal(0, 2, (6, 24)), chance.normal(0, 1, 24)
    hidden = np.maximum(values @ inner + shift, 0)
    outer = np.linalg.lstsq(hidden, 5 * np.eye(4)[labels], rcond=None)[0]
    tensor = lambda name, array: helper.make_tensor(name, TensorProto.FLOAT, array.shape, array.astype(np.float32).ravel())
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w1", "b1"], ["z"]), helper.make_node("Relu", ["z"], ["h"]),
         helper.make_node("MatMul", ["h", "w2"], ["y"])], "flowers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])],
        [tensor("w1", inner), tensor("b1", shift), tensor("w2", outer)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), folder / "flowers.onnx")
    return {"network": str(folder / "flowers.onnx"), "data": f"csv:{folder / 'flowers.csv'}", "samples": "0:60"}


def perturbed(plumb, store):
    arguments = ["accuracy", NETWORK, "--data", DATA, "--samples", "0:60", "--perturbation", "contrast:0.3,1.5", "--out", store, "-q"]
    succeeded(call(plumb, *arguments))
    return store


# What each page shows.
RUNS = {
    "one": lambda plumb, folder: [solved(plumb, folder / "one.db", "--pgd", eps="0.1")],
    "twenty": lambda plumb, folder: [solved(plumb, folder / "twenty.db", "--pgd", eps=TWENTY, samples="0:60")],
    "interrupted": lambda plumb, folder: [interrupted(plumb, folder / "interrupted.db", 40, "--work-limit", "1", "--pgd", "--jobs", "1", eps="0.1", samples="0:700")],
    "interrupted-twenty": lambda plumb, folder: [interrupted(plumb, folder / "interrupted.db", 500, "--jobs", "1", eps=TWENTY, samples="0:700")],
    "empty": lambda plumb, folder: [emptied(plumb, folder / "empty.db", eps="0.1", samples="0:3")],
    "empty-twenty": lambda plumb, folder: [emptied(plumb, folder / "empty.db", eps=TWENTY, samples="0:3")],
    "table": lambda plumb, folder: [solved(plumb, folder / "table.db", "--pgd", eps="0.1", **table(folder))],
    "table-twenty": lambda plumb, folder: [solved(plumb, folder / "table.db", eps=TWENTY, **table(folder))],
    "scaled": lambda plumb, folder: [solved(plumb, folder / "scaled.db", *SCALED, eps="0.05", **table(folder))],
    "contrast": lambda plumb, folder: [perturbed(plumb, folder / "contrast.db")],
    "stores": lambda plumb, folder: [solved(plumb, folder / "sweep.db", "--pgd", eps="0.03,0.06,0.09", samples="0:100"),
                                     solved(plumb, folder / "a-run-with-a-long-name-of-tuesday.db", "--work-limit", "1", "--domain=-0.1,1.1", eps="0.12", samples="0:100")],
}


def look(plumb, folder, name):
    """The page of a run: its data, and what tests/cli/pictures.mjs says about it in every setting."""
    if not pathlib.Path(CHROMIUM).exists() or not shutil.which("node"):
        raise Skipped("there is no Chromium, or no node to drive it with: scripts/setup tests installs them")
    page = (plumb.out if plumb.keep else folder) / f"{name}.html"
    succeeded(call(plumb, "report", *RUNS[name](plumb, folder), "-o", page, "-q"))
    done = subprocess.run(["node", str(REPOSITORY / "tests/cli/pictures.mjs"), str(REPOSITORY / ".deps/npm"),
                           str(plumb.out), f"{name}={page}"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return data_of(page)["stores"], json.loads(done.stdout)[name]


# ---- Facts about every page. Each takes the data and what was seen in one setting, and yields complaints.


def nothing_is_cut_off(stores, seen):
    yield from seen["messages"]
    yield from seen["faults"]


def ticks_are_distinct(stores, seen):
    for axis, rows in seen["axes"].items():
        yield from (f"{axis}: {row}" for row in rows if len(set(row)) < len(row))


def the_headline_is_in_sight(stores, seen):
    if seen["headline"] > 422:  # half of a phone's screen
        yield f"the headline ends at {seen['headline']:.0f} px"


def whole(text):
    return int(text.replace(",", ""))


def cards_and_table_agree(stores, seen):
    levels = [level for store in stores for level in store["levels"]]
    kinds = ("vulnerable", "unknown", "not reached", "robust")
    keys = dict(zip(kinds, ("vulnerable", "unknown", "pending", "robust")))
    cards = {kind: whole(seen["cards"][kind]["value"]) for kind in kinds if kind in seen["cards"]}
    counts = levels[0]["counts"]
    if sum(cards.values()) != counts["samples"] or any(cards[kind] != counts[keys[kind]] for kind in cards):
        yield f"cards {cards}, counts {counts}"
    if not seen["comparison"]:
        return
    head, *rows = seen["comparison"]
    for row, level in zip(rows, levels, strict=True):
        for kind in kinds:
            said = row[head.index(kind)] if kind in head else None
            if said is None and f"{kind} {level['counts'][keys[kind]]:,}" not in seen["sameEverywhere"]:
                yield f"{kind} is nowhere: {head}, {seen['sameEverywhere']}"
            if said is not None and whole(said) != level["counts"][keys[kind]]:
                yield f"the table says {said} {kind}, the counts {level['counts']}"


def the_table_begins_with_the_error(stores, seen):
    if not seen["comparison"]:
        return
    head, *rows = seen["comparison"]
    if head[1] != "adversarial error":
        yield f"the table's columns are {head}"
    for title, *cells in list(zip(head, *rows))[2:]:
        if len(set(cells)) == 1:
            yield f"the column {title} says {cells[0]} in every row"


def fewer_samples_are_mentioned(stores, seen):
    counts = stores[0]["levels"][0]["counts"]
    if counts["pending"] == 0:
        return
    reached, asked = f"{counts['looked_at']:,}", f"{counts['samples']:,}"
    said = f"{reached} of {asked} samples" if counts["looked_at"] else f"None of the {asked} samples"
    if said not in seen["text"]:
        yield f"{said!r} is nowhere"
    if counts["looked_at"] and f"of the {reached} that were reached" not in seen["cards"]["misclassified"]["note"]:
        yield f"the test error says {seen['cards']['misclassified']}"


def proven_bounds_are_rounded_outward(stores, seen):
    counts = stores[0]["levels"][0]["counts"]
    if counts["exact"]:
        return
    lower, upper = (Fraction(number) for number in re.match(r"([0-9.]+) to ([0-9.]+)", seen["says"]).groups())
    open_ = counts["unknown"] + counts["pending"]
    if not lower <= Fraction(100 * counts["vulnerable"], counts["samples"]):
        yield f"the lower bound is less than {seen['says']}"
    if not upper >= Fraction(100 * (counts["vulnerable"] + open_), counts["samples"]):
        yield f"the upper bound is more than {seen['says']}"


def one_vocabulary(stores, seen):
    # Explained once, used nowhere else.
    for word in ("holds", "violated"):
        if seen["all"].count(word) != 1:
            yield f"{word} occurs {seen['all'].count(word)} times"


def the_table_says_in_what_questions_differ(stores, seen):
    if len(stores) == 1 or not seen["comparison"]:
        return
    head = seen["comparison"][0]
    names = {name for store in stores for name in store["settings"]} & {"domain", "eps-scale", "mean", "std", "target"}
    for name in sorted(names):
        values = [store["settings"].get(name, {}).get("shown") for store in stores]
        if (name in head) != (len(set(values)) > 1):
            yield f"the stores have {name} {values}, the table {head}"


def many_views_are_a_list(stores, seen):
    views = sum(len(store["levels"]) for store in stores)
    expected = {"buttons": 0, "options": 0} if views == 1 else \
        {"buttons": views, "options": 0} if views <= 8 else {"buttons": 0, "options": views}
    if seen["choices"] != expected:
        yield f"choices are {seen['choices']}"


def times_of_implied_results_are_no_headline(stores, seen):
    levels = stores[0]["levels"]
    if len(levels) > 1 and levels[0]["counts"]["looked_at"] and f"all {len(levels)} epsilons" not in seen["cards"]["time"]["note"]:
        yield f"the time says {seen['cards']['time']}"


def examples_show_their_lead(stores, seen):
    shown = min(12, len(stores[0]["levels"][0]["gallery"]))
    if seen["text"].count(" is ahead of ") != shown:
        yield f"{seen['text'].count(' is ahead of ')} of {shown} examples say by how much"


def distances_say_what_they_measure(stores, seen):
    level = stores[0]["levels"][0]
    if level["radius"] is None and "linf" in seen["text"]:
        yield "a perturbation is measured in linf"
    if level["adversarial"]:
        name = "largest change of an input" if level["radius"] is None else "linf distance"
        if name not in seen["text"]:
            yield f"{name} is nowhere"


# The question of each page in full, where it is not one of the usual kind.
QUESTIONS = {
    "scaled.db": "Of 60 samples of flowers.csv: how many are misclassified, or can be changed by at most 0.05 times its own "
                 "scale (1, 0.5, 2, 1, ... (6 in all)) in each coordinate, within [0, 1], [0, 1], [0, 1], [0, 1], ... "
                 "(6 in all), so that flowers.onnx, which takes (x \u2212 mean) / std, gives them another label?",
    "one.db": "Of 150 samples of digits: how many are misclassified, or can be changed by at most 0.1 in each coordinate, "
              "within [0, 1], so that digits.onnx gives them another label?",
}


def the_question_is_the_one_that_was_asked(stores, seen):
    expected = QUESTIONS.get(pathlib.Path(stores[0]["name"]).name)
    if expected and expected not in seen["text"].replace("\u00a0", " "):
        yield f"the question is not {expected!r}: {seen['text'][:600]!r}"


FACTS = [nothing_is_cut_off, ticks_are_distinct, the_headline_is_in_sight, cards_and_table_agree,
         the_table_begins_with_the_error, fewer_samples_are_mentioned, proven_bounds_are_rounded_outward,
         the_table_says_in_what_questions_differ, one_vocabulary, many_views_are_a_list, times_of_implied_results_are_no_headline, examples_show_their_lead,
         distances_say_what_they_measure, the_question_is_the_one_that_was_asked]
SHOWN = 12  # complaints


def page_of(name):
    def check(plumb, folder):
        stores, settings = look(plumb, folder, name)
        complaints = [f"{setting}: {fact.__name__}: {complaint}" for setting, seen in settings.items()
                      for fact in FACTS for complaint in fact(stores, seen)]
        assert not complaints, "\n    ".join(["", *complaints[:SHOWN], f"{len(complaints)} in all"])
    check.__name__ = name
    return check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for the pictures")
    parser.add_argument("--keep", action="store_true", help="leave the pages there, too")
    parser.add_argument("runs", nargs="*")
    options = parser.parse_args()
    plumb = Program(options.plumb)
    plumb.out, plumb.keep = options.out, options.keep
    options.out.mkdir(parents=True, exist_ok=True)
    return run_checks([page_of(name) for name in RUNS], plumb, options.runs)


if __name__ == "__main__":
    sys.exit(main())
