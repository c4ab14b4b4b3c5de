#!/usr/bin/env python3
"""plumb report from the user's side: the content of the page, and its behaviour in headless Chromium.

    tests/cli/report.py --plumb build/release/plumb --make-store build/release/tests/make_store [--quick] [CHECK ...]

--quick leaves out the slow checks in the browser.

If PLUMB_TEST_PICTURES names a folder, screenshots of the pages are left there.
Closing line: `N passed, N failed, N skipped`.
"""

import argparse
import base64
import contextlib
import gzip
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import numpy as np

from accuracy_program import Program, refused
from checks import Skipped, run_checks
from example import DATA, NETWORK, REPOSITORY
from png import read_png
from show import call, succeeded, write_flat_network

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SIDE = 16  # of the example's images
MISCLASSIFIED = "vulnerable (misclassified)"


def report(plumb, *arguments):
    return succeeded(call(plumb, "report", "-q", *arguments))


def data_of(page):
    text = page.read_text()
    start = text.index('<script id="data" type="application/json">') + len('<script id="data" type="application/json">')
    return json.loads(text[start:text.index("</script>", start)])


def picture(text):
    return read_png(base64.b64decode(text))


def images():
    with gzip.open(REPOSITORY / "examples/digits/t10k-images-idx3-ubyte.gz") as file:
        return np.frombuffer(file.read()[16:], dtype=np.uint8).reshape(-1, SIDE, SIDE, 1)


def browse(page, folder, name):
    """What a reader sees, from tests/cli/browse.mjs, and the folder with screenshots."""
    if not pathlib.Path(CHROMIUM).exists() or not shutil.which("node"):
        raise Skipped("there is no Chromium, or no node to drive it with: scripts/setup tests installs them")
    pictures = folder / "pictures"
    pictures.mkdir()
    done = subprocess.run(["node", str(REPOSITORY / "tests/cli/browse.mjs"), str(REPOSITORY / ".deps/npm"), str(page),
                           str(pictures)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    if "PLUMB_TEST_PICTURES" in os.environ:
        shutil.copytree(pictures, pathlib.Path(os.environ["PLUMB_TEST_PICTURES"]) / name, dirs_exist_ok=True)
    return json.loads(done.stdout), pictures


def behaves(seen, pictures, page, charts):
    """Checks that every page must pass."""
    assert not seen["messages"], seen["messages"]
    assert {request.split(":")[0] for request in seen["requests"]} <= {"file", "data"}, seen["requests"]
    assert {request for request in seen["requests"] if request.startswith("file:")} == {page.as_uri()[:100]}
    for width, found in seen["widths"].items():
        assert found["content"] <= int(width) and not found["overflowing"], (width, found)
    light, dark = seen["widths"]["1920"]["background"], seen["widths"]["1024"]["background"]
    assert brightness(light) > 200 > 60 > brightness(dark), (light, dark)
    assert brightness(seen["printed"]["background"]) == 255 and seen["printed"]["navigation"] == "none", seen["printed"]
    assert set(charts) <= set(seen["charts"]), (charts, set(seen["charts"]))
    for name, marks in seen["charts"].items():
        drawn = read_png((pictures / f"chart-{name}.png").read_bytes())
        colours = np.unique(drawn.reshape(-1, drawn.shape[2]), axis=0)
        assert marks > 0 and len(colours) > 2, f"{name} is blank: {marks} marks, {len(colours)} colours"


def brightness(colour):
    return sum(map(float, colour[colour.index("(") + 1:-1].split(",")[:3])) / 3


def column(seen, rows, title):
    return [row[seen["columns"].index(title)] for row in rows]


def seconds(text):
    number, unit = text.split() if " " in text else (text, "s")
    return float(number) * {"\u00b5s": 1e-6, "ms": 1e-3, "s": 1, "min": 60}[unit]


def sorts_and_filters(seen, samples):
    """`samples`: label and verdict of each sample."""
    up, down = seen["sorted"]["sample"]
    assert column(seen, up, "sample") == [f"{k:,}" for k in range(len(up))], "the first in order"
    assert column(seen, down, "sample")[0] == f"{len(samples) - 1:,}", "the last in order"
    for title in ("label", "verdict"):
        up, down = (column(seen, rows, title) for rows in seen["sorted"][title])
        ordered = sorted(str(sample[title]) for sample in samples)
        assert up == ordered[:len(up)] and down == ordered[::-1][:len(down)], title
    down, up = (list(map(seconds, column(seen, rows, "time"))) for rows in seen["sorted"]["time"])
    assert down == sorted(down, reverse=True) and up == sorted(up) and down[0] >= up[-1], "times"
    assert seen["order"].startswith("subproblems"), seen["order"]
    for verdict in ("vulnerable", "robust"):  # the misclassified are vulnerable, too
        count = sum(sample["verdict"].startswith(verdict) for sample in samples)
        found = seen["filtered"][verdict]
        assert found["status"].endswith(f" of {count:,}") and count > 0, (verdict, found["status"])
        assert all(text.startswith(verdict) for text in column(seen, found["rows"], "verdict")), verdict
    assert set(column(seen, seen["filtered"]["3"]["rows"], "label")) == {"3"}
    assert sorted(column(seen, seen["filtered"]["5-9"]["rows"], "sample")) == ["5", "6", "7", "8", "9"]
    assert seen["status"].endswith(f" of {len(samples):,}") and seen["last"].endswith(f"\u2013{len(samples):,} of {len(samples):,}")


def kind(line):
    wrong = line["misclassified"] and line["verdict"] == "violated"
    return MISCLASSIFIED if wrong else {"holds": "robust", "violated": "vulnerable"}.get(line["verdict"], "unknown")


def the_page_says_what_the_run_found(plumb, folder):
    store, page = folder / "run.db", folder / "report.html"
    lines, (summary,) = plumb.json(store, "--pgd")
    report(plumb, store, "-o", page)
    (found,), = [store["levels"] for store in data_of(page)["stores"]]
    for key in ("samples", "misclassified", "robust", "vulnerable", "unknown", "pending", "pgd_found", "error_lower", "error_upper", "exact"):
        assert found["counts"][key] == summary[key], key
    assert [(s["verdict"], s["reason"], s["samples"]) for s in found["stages"]] == \
           [(s["verdict"], s["reason"], s["samples"]) for s in summary["decided"]]
    columns = found["columns"]
    assert columns["sample"] == [line["sample"] for line in lines]
    for k, line in enumerate(lines):
        assert columns["label"][k] == line["label"] and columns["nodes"][k] == line["statistics"]["nodes"], line
        assert found["words"][columns["reason"][k]] == line["reason"], line
        assert abs(columns["seconds"][k] - line["seconds"]) <= 1e-3 * line["seconds"], line
        layers = line["statistics"]["layers"]
        assert columns["unstable"][k] == (sum(l["unstable"] for l in layers) if layers else None), line
    with_layers = [line["statistics"]["layers"] for line in lines if line["statistics"]["layers"]]
    for place, name in enumerate(layer["name"] for layer in with_layers[0]):
        (drawn,) = [layer for layer in found["layers"] if layer["name"] == name]
        mean = np.mean([layers[place]["unstable"] for layers in with_layers])
        assert abs(drawn["unstable"] - mean) <= 1e-3 * mean and found["layer_samples"] == len(with_layers), drawn
    margins = sorted(line["statistics"]["margin_lower"] for line in lines if line["verdict"] == "holds")
    assert [columns["margin"][k] for k in found["narrowest"]] == margins[:20], "the narrowest proofs"


def pictures_are_those_of_sample_and_witness(plumb, folder):
    store, page = folder / "run.db", folder / "report.html"
    lines, _ = plumb.json(store, "--pgd", eps="0.1")
    report(plumb, store, "-o", page)
    (level,), = [store["levels"] for store in data_of(page)["stores"]]
    originals, by = images(), {line["sample"]: line for line in lines}
    vulnerable = [line for line in lines if line["verdict"] == "violated" and not line["misclassified"]]
    assert level["adversarial"] == len(vulnerable) == len(level["gallery"]) > 3, level["adversarial"]
    for example in level["gallery"]:
        line = by[example["sample"]]
        original, witness = originals[line["sample"]], np.array(line["witness"]).reshape(SIDE, SIDE, 1)
        assert np.array_equal(picture(example["original"]), original), "the original, byte for byte"
        assert np.abs(picture(example["perturbed"]) / 255 - witness).max() <= 0.5 / 255 + 1e-9
        change = witness - original / 255
        difference = picture(example["difference"]).astype(int)
        assert np.abs(difference[..., 3] / 255 - np.abs(change[..., 0]) / np.abs(change).max()).max() < 0.005
        clear = np.abs(change[..., 0]) > 0.01 * np.abs(change).max()
        assert np.array_equal(difference[..., 0][clear] > difference[..., 2][clear], change[..., 0][clear] > 0), "red is brighter"
        assert abs(example["magnification"] * np.abs(change).max() - 1) < 1e-3
        assert example["distance"] == line["distance"] and example["predicted"] == line["predicted"]
        assert example["lead"] == line["outputs"][line["predicted"]] - line["outputs"][line["label"]] > 0, "not rounded"
        scores = {label: (before, after) for label, before, after in example["scores"]}
        outputs = succeeded(call(plumb, "eval", NETWORK, "--data", DATA, "--sample", line["sample"], "--json"))
        for label, (before, after) in scores.items():
            assert abs(after - line["outputs"][label]) <= 1e-3 * abs(after) + 1e-9
            assert abs(before - json.loads(outputs)["logits"][label]) <= 1e-3 * abs(before) + 1e-4
        assert {line["label"], line["predicted"]} <= set(scores)


def originals_are_shown_only_if_they_are_the_ones(plumb, folder):
    data = folder / "digits"
    shutil.copytree(REPOSITORY / "examples/digits", data)
    store, page = folder / "run.db", folder / "report.html"
    lines, _ = plumb.json(store, data=f"mnist:{data}", eps="0.1", samples="0:60")
    data.rename(folder / "moved")
    done = call(plumb, "report", store, "-o", page)
    assert done.returncode == 0 and "not shown" in done.stderr and "digits" in done.stderr, done
    (missing,) = data_of(page)["stores"]
    assert not missing["originals"] and missing["notices"] and missing["levels"][0]["gallery"], missing["notices"]
    for example in missing["levels"][0]["gallery"]:
        assert not example["original"] and not example["difference"] and picture(example["perturbed"]).shape == (SIDE, SIDE, 1)
    report(plumb, store, "-o", page, "--data", f"mnist:{folder / 'moved'}")
    (found,) = data_of(page)["stores"]
    assert found["originals"] and not found["notices"] and all(e["original"] for e in found["levels"][0]["gallery"])
    labels = folder / "moved" / "t10k-labels-idx1-ubyte.gz"
    content = bytearray(gzip.decompress(labels.read_bytes()))
    content[-1] = (content[-1] + 1) % 10  # one label of the last sample, which the run did not cover
    labels.write_bytes(gzip.compress(bytes(content)))
    done = call(plumb, "report", store, "-o", page, "--data", f"mnist:{folder / 'moved'}")
    (other,) = data_of(page)["stores"]
    assert not other["originals"] and "is not the data set of the results" in done.stderr, done.stderr


def what_was_not_reached_counts_against_the_upper_bound(plumb, folder):
    store = folder / "run.db"
    process = plumb.start(store, samples="0:1000", eps="0.1")
    while not store.exists() or len(json_lines(plumb, store)) < 20:
        assert process.poll() is None, "the run ended before it could be stopped"
    process.kill()
    process.communicate()
    report(plumb, store, "-o", folder / "report.html")
    (level,), = [found["levels"] for found in data_of(folder / "report.html")["stores"]]
    counts = level["counts"]
    assert counts["samples"] == 1000 and counts["pending"] == 1000 - len(level["columns"]["sample"]) > 0, counts
    assert counts["error_upper"] == (counts["vulnerable"] + counts["unknown"] + counts["pending"]) / 1000, counts
    # The store covers only the samples that were reached, and the page says that the test error is theirs.
    assert counts["looked_at"] == 1000 - counts["pending"], counts
    assert counts["test_error"] == counts["misclassified"] / counts["looked_at"], counts
    assert not counts["exact"]


def forget_results(store):
    """The store is then as a run leaves it that is killed before its first result."""
    with contextlib.closing(sqlite3.connect(store)) as database:
        for table in ("result", "question"):
            database.execute(f"DELETE FROM {table}")
        database.commit()


def a_run_without_results_has_a_page(plumb, folder):
    store, page = folder / "run.db", folder / "report.html"
    plumb.json(store, eps="0.05,0.1", samples="0:3")
    forget_results(store)
    report(plumb, store, "-o", page)
    levels = data_of(page)["stores"][0]["levels"]
    assert [level["epsilon"] for level in levels] == ["0.05", "0.1"], levels
    for level in levels:
        counts = level["counts"]
        assert (counts["samples"], counts["pending"], counts["looked_at"]) == (3, 3, 0), counts
        assert (counts["error_lower"], counts["error_upper"], counts["exact"]) == (0, 1, False), counts
        assert all(values == [] for values in level["columns"].values()) and level["gallery"] == [], level


def json_lines(plumb, store):
    return call(plumb, "show", store, "--json").stdout.splitlines()


def the_same_stores_give_the_same_bytes(plumb, folder):
    plumb.json(folder / "a.db", "--pgd", eps="0.04,0.08", samples="0:60")
    plumb.json(folder / "b.db", eps="0.06", samples="0:60")
    for name in ("one.html", "two.html"):
        report(plumb, folder / "a.db", folder / "b.db", "-o", folder / name)
    assert (folder / "one.html").read_bytes() == (folder / "two.html").read_bytes()
    refused(call(plumb, "report", folder / "none.db", "-o", folder / "x.html"), 66, "the store does not exist")
    refused(call(plumb, "report", folder / "a.db", "-o", folder / "none" / "x.html"), 66, "cannot be written")


def one_run_is_shown_in_a_browser(plumb, folder):
    store, page = folder / "run.db", folder / "report.html"
    lines, (summary,) = plumb.json(store, "--pgd", eps="0.1")
    report(plumb, store, "-o", page)
    seen, pictures = browse(page, folder, "one")
    charts = {"split", "stage-samples", "stage-seconds", "seconds", "nodes", "scatter", "units-2"}
    behaves(seen, pictures, page, charts)
    sorts_and_filters(seen, [{"label": line["label"], "verdict": kind(line)} for line in lines])
    assert f"{100 * summary['error_lower']:.2f}\u00a0%" in seen["headline"] and "exact" in seen["headline"], seen["headline"]
    gallery = [p for p in seen["pictures"] if " of sample " in p["text"]]
    vulnerable = summary["vulnerable"] - summary["misclassified"]
    assert len(gallery) == 3 * min(60, vulnerable), (len(gallery), vulnerable)
    assert all(p["width"] == SIDE and p["shown"] > 20 and p["colours"] > 3 for p in seen["pictures"]), seen["pictures"]


def several_runs_are_compared_in_a_browser(plumb, folder):
    page = folder / "report.html"
    _, sweep = plumb.json(folder / "sweep.db", "--pgd", eps="0.03,0.06,0.09", samples="0:100")
    _, hasty = plumb.json(folder / "hasty.db", "--work-limit", "1", eps="0.12", samples="0:100")
    report(plumb, folder / "sweep.db", folder / "hasty.db", "-o", page)
    seen, pictures = browse(page, folder, "several")
    behaves(seen, pictures, page, {"curve", "split", "stage-samples", "units-2"})
    assert len(seen["views"]) == 4 and all(view["pressed"] == "true" for view in seen["views"]), seen["views"]
    for view, summary in zip(seen["views"], sweep + hasty, strict=True):
        assert f"\u03b5\u00a0=\u00a0{summary['epsilon']}" in view["name"], view
        assert f"{100 * summary['error_upper']:.2f}\u00a0%" in view["headline"], (view, summary)
        assert ("exact" in view["headline"]) == summary["exact"], (view, summary)
    assert hasty[0]["unknown"] > 0 and "The margin proven for each" in seen["text"], seen["text"]


def inputs_that_are_no_pictures_are_shown_as_numbers(plumb, folder):
    network, flat, page = folder / "flat.onnx", folder / "flat.csv", folder / "report.html"
    write_flat_network(network)
    flat.write_text("0,0.5,0.4\n1,0.1,0.9\n0,0.2,0.7\n")
    done = plumb.run(folder / "run.db", network=str(network), data=f"csv:{flat}", samples="0:3", eps="0.2")
    assert done.returncode == 0, done.stderr
    report(plumb, folder / "run.db", "-o", page)
    (example,) = data_of(page)["stores"][0]["levels"][0]["gallery"]
    assert example["sample"] == 0 and not example["perturbed"], example
    assert {element: round(before, 6) for element, before, _ in example["changes"]} == {0: 0.5, 1: 0.4}, example
    assert all(abs(after - before) <= 0.2 for _, before, after in example["changes"]), example
    seen, _ = browse(page, folder, "numbers")
    assert not seen["messages"] and not seen["pictures"] and "Sample 0" in seen["text"], seen["messages"]


def ten_thousand_samples_stay_below_five_megabytes(plumb, folder):
    store, page = folder / "large.db", folder / "report.html"
    subprocess.run([plumb.make_store, str(store), "10000"], check=True, timeout=300)
    report(plumb, store, "-o", page)
    assert page.stat().st_size < 5_000_000, page.stat().st_size
    seen, pictures = browse(page, folder, "large")
    behaves(seen, pictures, page, {"split", "stage-samples", "stage-seconds", "seconds", "nodes", "scatter", "units-0"})
    columns = data_of(page)["stores"][0]["levels"][0]["columns"]
    verdicts = [MISCLASSIFIED if wrong else ("robust", "vulnerable", "unknown")[verdict]
                for wrong, verdict in zip(columns["misclassified"], columns["verdict"], strict=True)]
    sorts_and_filters(seen, [{"label": label, "verdict": verdict} for label, verdict in zip(columns["label"], verdicts)])
    assert " to " in seen["headline"] and "open: " in seen["headline"], seen["headline"]
    assert len(seen["pictures"]) == 60 and all(p["width"] == 28 and p["colours"] > 100 for p in seen["pictures"])
    assert "Without the originals" in seen["text"] and "a solver\u2019s claim" in seen["text"]


CHECKS = [the_page_says_what_the_run_found, pictures_are_those_of_sample_and_witness,
          originals_are_shown_only_if_they_are_the_ones, what_was_not_reached_counts_against_the_upper_bound,
          a_run_without_results_has_a_page, the_same_stores_give_the_same_bytes, one_run_is_shown_in_a_browser,
          several_runs_are_compared_in_a_browser, inputs_that_are_no_pictures_are_shown_as_numbers,
          ten_thousand_samples_stay_below_five_megabytes]
SLOW = {several_runs_are_compared_in_a_browser, ten_thousand_samples_stay_below_five_megabytes}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--make-store", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("checks", nargs="*")
    options = parser.parse_args()
    plumb = Program(options.plumb)
    plumb.make_store = options.make_store
    checks = [check for check in CHECKS if not (options.quick and check in SLOW)]
    return run_checks(checks, plumb, options.checks)


if __name__ == "__main__":
    sys.exit(main())
