#!/usr/bin/env python3
"""All certificates of a run, before plumb-check: what its last line says, what it rejects, and what Plumb makes of it.

    tests/cli/checked_runs.py --plumb build/release/plumb --plumb-check build/release/plumb-check [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from checks import checks_of, run_checks

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "examples/digits"
NETWORK = EXAMPLE / "digits.onnx"
DATA = f"mnist:{EXAMPLE}"
EPSILON = "0.06"
KINDS = ("holds", "violated", "misclassified", "unknown")


class Programs:
    def __init__(self, plumb, check):
        self.plumb, self.checker = (str(pathlib.Path(path).resolve()) for path in (plumb, check))
        self.found = None

    def run(self, *arguments, **options):
        return subprocess.run([self.plumb, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              **options)

    def check(self, *arguments, code=0, **options):
        done = subprocess.run([self.checker, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              **options)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def accuracy(self, folder, *options, network=NETWORK, eps=EPSILON, certificates=True, **more):
        where = ["--certificates", "proofs"] if certificates else []
        done = self.run("accuracy", network, "--data", DATA, "--eps", eps, "--out", "run.db", "-q", *where, *options,
                        cwd=folder, **more)
        assert done.returncode == 0, done.stderr
        return done

    def samples(self):
        """Two samples of each kind, at EPSILON and with a work limit of 1."""
        if self.found is None:
            done = self.run("verify", NETWORK, "--data", DATA, "--samples", "0:300", "--eps", EPSILON, "--work-limit",
                            "1", "--json", "-q")
            kinds = {kind: [] for kind in KINDS}
            for line in map(json.loads, done.stdout.splitlines()):
                if "sample" in line:
                    kind = "misclassified" if line["reason"] == "misclassified" else line["verdict"]
                    kinds[kind].append(line["sample"])
            assert all(len(kinds[kind]) > 1 for kind in KINDS), {kind: len(kinds[kind]) for kind in KINDS}
            self.found = {kind: kinds[kind][:2] for kind in KINDS}
        return self.found

    def small_run(self, folder):
        """A run over these samples. Returns them."""
        (folder / "samples.txt").write_text("\n".join(str(k) for kind in KINDS for k in self.samples()[kind]))
        self.accuracy(folder, "--samples-file", "samples.txt", "--work-limit", 1)
        return self.samples()


def proof(folder, sample, eps=EPSILON):
    return folder / f"proofs/eps-{eps}/sample-{sample:05}.plumb"


def rows(folder, what):
    store = sqlite3.connect(folder / "run.db")
    try:
        return store.execute(what).fetchall()
    finally:
        store.close()


def verdicts(programs, folder, store="run.db"):
    done = programs.run("show", store, "--json", cwd=folder)
    lines = map(json.loads, done.stdout.splitlines())
    return {(line["epsilon"], line["sample"]): line for line in lines if "sample" in line}


def sentence(done):
    """Its last line: lower and upper bound in percent, and the number of certificates."""
    line = done.stdout.splitlines()[-1]
    found = re.search(r" (?:is (?P<exact>[\d.]+) %|is between (?P<low>[\d.]+) % and (?P<high>[\d.]+) %), proven by "
                      r"(?P<count>\d+) certificates?(?: and (?P<more>\d+) evaluations?)?$", line)
    assert line.startswith("the adversarial error of digits.onnx (sha256 ") and found, line
    low, high = (found["exact"],) * 2 if found["exact"] else (found["low"], found["high"])
    return float(low), float(high), int(found["count"])


def rejections(done):
    return {int(found[1]): found[2] for line in done.stdout.splitlines()
            if (found := re.match(r"rejected: sample (\d+) at [^:]+: [^:]+: (.*)", line))}


def report_level(programs, folder):
    done = programs.run("report", "run.db", "-o", "report.html", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    text = (folder / "report.html").read_text()
    begin = '<script id="data" type="application/json">'
    start = text.index(begin) + len(begin)
    return json.loads(text[start:text.index("</script>", start)])["stores"][0]["levels"][0]


def the_last_line_agrees_with_the_verdicts(plumb, folder):
    plumb.small_run(folder)
    found = [line["verdict"] for line in verdicts(plumb, folder).values()]
    done = plumb.check("--run", "run.db", cwd=folder)
    errors, robust, total = found.count("violated"), found.count("holds"), len(found)
    assert (errors, robust, total) == (4, 2, 8), found
    assert sentence(done) == (50, 75, 6) and not rejections(done), done.stdout
    line = done.stdout.splitlines()[-1]
    assert hashlib.sha256(NETWORK.read_bytes()).hexdigest() in line, line
    assert f"on 8 of the 1000 samples of {DATA} at l-infinity distance {EPSILON} is" in line, line
    assert done.stderr == "", done.stderr  # no progress where there is no terminal
    assert sentence(plumb.check("--run", "run.db", "--exact", "--jobs", 1, cwd=folder)) == (50, 75, 6)


def a_complete_run_has_one_number(plumb, folder):
    plumb.accuracy(folder, "--samples", "0:30")
    found = [line["verdict"] for line in verdicts(plumb, folder).values()]
    error = round(100 * found.count("violated") / 30, 2)
    assert sentence(plumb.check("--run", "run.db", cwd=folder)) == (error, error, 30) and "unknown" not in found


def bad_certificates_are_rejected_and_what_they_proved_is_open(plumb, folder):
    samples = plumb.small_run(folder)
    (first, second), (attacked, unchecked) = samples["holds"], samples["violated"]
    assert sentence(plumb.check("--run", "run.db", cwd=folder)) == (50, 75, 6)
    kept = {sample: proof(folder, sample).read_bytes() for sample in (first, second, attacked, samples["misclassified"][0])}

    def now(code, bounds, *rejected):
        done = plumb.check("--run", "run.db", code=code, cwd=folder)
        assert sentence(done) == bounds and set(rejections(done)) == set(rejected), done.stdout
        again = plumb.check("--run", "run.db", code=code, cwd=folder)  # what was stored says the same
        assert sentence(again) == bounds and rejections(again) == rejections(done), again.stdout
        assert "0 samples checked" in again.stdout.replace(": ", " "), again.stdout
        counts, found = report_level(plumb, folder)["counts"], verdicts(plumb, folder)
        for sample in rejected:
            assert found[EPSILON, sample]["verdict"] == "unknown", found[EPSILON, sample]
            assert found[EPSILON, sample]["reason"].startswith("certificate rejected: "), found[EPSILON, sample]
        assert (counts["rejected"], counts["certified_robust"] + counts["certified_vulnerable"]) == (
            len(rejected), 6 - len(rejected)), counts
        summary = json.loads(plumb.accuracy(folder, "--samples-file", "samples.txt", "--rerun", "never", "--json")
                             .stdout.splitlines()[-1])["summary"]
        assert summary["robust"] == counts["robust"] and summary["rejected"] == len(rejected), summary
        return rejections(done)

    changed = bytearray(gzip.decompress(kept[first]))
    changed[-40] ^= 1
    proof(folder, first).write_bytes(gzip.compress(bytes(changed)))
    now(1, (50, 87.5, 5), first)
    proof(folder, first).write_bytes(kept[first][:-9])  # cut off
    now(1, (50, 87.5, 5), first)
    proof(folder, first).unlink()
    assert now(1, (50, 87.5, 5), first)[first] == "there is no certificate"
    proof(folder, attacked).unlink()
    now(1, (37.5, 87.5, 4), first, attacked)
    proof(folder, attacked).write_bytes(kept[attacked])
    proof(folder, first).write_bytes(kept[second])  # a swapped pair
    proof(folder, second).write_bytes(kept[first])
    why = now(1, (50, 100, 4), first, second)
    assert all("another question" in reason for reason in why.values()), why
    for sample in (first, second):
        proof(folder, sample).write_bytes(kept[sample])
    proof(folder, first).write_bytes(b"no certificate")
    level = report_level(plumb, folder)
    assert first in level["columns"]["sample"] and level["counts"]["rejected"] == 2  # until it is checked again
    now(1, (50, 87.5, 5), first)
    proof(folder, first).write_bytes(kept[first])
    now(0, (50, 75, 6))
    columns = report_level(plumb, folder)["columns"]
    unknown = [columns["sample"].index(sample) for sample in samples["unknown"]]
    assert [columns["certified"][k] for k in range(8)] == [0 if k in unknown else 1 for k in range(8)], columns


def a_misclassified_sample_is_an_error_without_any_certificate(plumb, folder):
    samples = plumb.small_run(folder)
    proof(folder, samples["misclassified"][0]).unlink()
    done = plumb.check("--run", "run.db", cwd=folder)
    assert sentence(done) == (50, 75, 5) and done.stdout.endswith("5 certificates and 1 evaluation\n"), done.stdout


def a_certificate_of_another_radius_is_rejected(plumb, folder):
    sample = plumb.samples()["holds"][0]
    plumb.accuracy(folder, "--sample", sample)
    done = plumb.run("verify", NETWORK, "--data", DATA, "--sample", sample, "--eps", "0.05", "--certificate",
                     proof(folder, sample), "-q")
    assert done.returncode == 0, done.stderr
    done = plumb.check("--run", "run.db", code=1, cwd=folder)
    assert "another question" in rejections(done)[sample] and sentence(done) == (0, 100, 0), done.stdout


def a_rejected_sample_is_solved_again_on_demand(plumb, folder):
    sample = plumb.samples()["holds"][0]
    plumb.accuracy(folder, "--sample", sample)
    good = proof(folder, sample).read_bytes()
    proof(folder, sample).unlink()
    plumb.check("--run", "run.db", code=1, cwd=folder)
    plumb.accuracy(folder, "--sample", sample, "--rerun", "unknown")
    assert proof(folder, sample).read_bytes() == good
    assert verdicts(plumb, folder)[EPSILON, sample]["verdict"] == "holds"
    assert sentence(plumb.check("--run", "run.db", cwd=folder)) == (0, 0, 1)


def a_kill_loses_what_is_in_flight(plumb, folder):
    plumb.accuracy(folder, "--samples", "0:20")
    complete = folder / "complete.db"
    shutil.copy(folder / "run.db", complete)
    expected = plumb.check("--run", "complete.db", cwd=folder)
    process = subprocess.Popen([plumb.checker, "--run", "run.db", "--exact", "--jobs", "2"], cwd=folder,
                               stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        tables = rows(folder, "SELECT count(*) FROM sqlite_master WHERE name = 'checked'")[0][0]
        if tables and rows(folder, "SELECT count(*) FROM checked")[0][0] >= 3:
            break
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    before = rows(folder, "SELECT * FROM checked ORDER BY sample")
    assert process.returncode == -signal.SIGKILL and 3 <= len(before) < 20, (process.returncode, len(before))
    done = plumb.check("--run", "run.db", "--exact", cwd=folder)
    assert f"{20 - len(before)} samples checked exactly" in done.stdout and f", {len(before)} before" in done.stdout
    assert done.stdout.splitlines()[-1] == expected.stdout.splitlines()[-1], done.stdout
    after = rows(folder, "SELECT * FROM checked ORDER BY sample")
    assert len(after) == 20 and set(before) <= set(after), "what was checked before was checked again"
    again = plumb.check("--run", "run.db", "--again", cwd=folder)
    assert "20 samples checked with intervals" in again.stdout, again.stdout


def the_network_and_the_data_must_be_those_of_the_run(plumb, folder):
    network, data = folder / "digits.onnx", folder / "data"
    data.mkdir()
    for file in EXAMPLE.glob("t10k-*"):
        shutil.copy(file, data)
    shutil.copy(NETWORK, network)
    sample = plumb.samples()["holds"][0]
    done = plumb.run("accuracy", "digits.onnx", "--data", "mnist:data", "--sample", sample, "--eps", EPSILON, "--out",
                     "run.db", "--certificates", "proofs", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    assert sentence(plumb.check("--run", folder / "run.db", cwd=elsewhere)) == (0, 0, 1)  # named from its own folder
    content = bytearray(network.read_bytes())
    content[len(content) // 2] ^= 1
    network.write_bytes(content)
    done = plumb.check("--run", "run.db", code=65, cwd=folder)
    assert "digits.onnx" in done.stderr and hashlib.sha256(content).hexdigest() in done.stderr, done.stderr
    assert sentence(plumb.check("--run", "run.db", NETWORK, cwd=folder)) == (0, 0, 1)
    shutil.copy(NETWORK, network)
    labels = next(data.glob("t10k-labels*"))
    packed = labels.read_bytes()
    content = bytearray(gzip.decompress(packed) if labels.suffix == ".gz" else packed)
    content[-1] = (content[-1] + 1) % 10
    labels.write_bytes(gzip.compress(bytes(content)) if labels.suffix == ".gz" else content)
    done = plumb.check("--run", "run.db", code=65, cwd=folder)
    assert "mnist:" in done.stderr and "not the data set" in done.stderr and not done.stdout, done.stderr
    assert sentence(plumb.check("--run", "run.db", "--data", DATA, cwd=folder)) == (0, 0, 1)


def moved_certificates_are_found(plumb, folder):
    sample = plumb.samples()["holds"][0]
    plumb.accuracy(folder, "--sample", sample)
    (folder / "proofs").rename(folder / "moved")
    done = plumb.check("--run", "run.db", code=65, cwd=folder)
    assert "proofs" in done.stderr and "--certificates" in done.stderr, done.stderr
    assert sentence(plumb.check("--run", "run.db", "--certificates", "moved", cwd=folder)) == (0, 0, 1)


def a_proof_serves_the_smaller_radii_and_a_witness_the_larger(plumb, folder):
    plumb.accuracy(folder, "--samples", "0:40", eps="0.02,0.06,1/5")
    found = verdicts(plumb, folder)
    assert any(line["implied_by"] for line in found.values())
    done = plumb.check("--run", "run.db", cwd=folder)
    lines = done.stdout.splitlines()[-3:]
    for line, epsilon in zip(lines, ("0.02", "0.06", "0.2")):
        error = 100 * sum(found[epsilon, k]["verdict"] == "violated" for k in range(40)) / 40
        assert f"at l-infinity distance {epsilon} is {error:.2f} %, proven by 40 certificates" in line, (line, error)
    # Without the certificate, those that it implies are open too.
    k = next(k for k in range(40) if found["0.02", k]["implied_by"] == "0.06" and not found["0.2", k]["implied_by"]
             and found["0.2", k]["verdict"] == "violated")
    proof(folder, k).unlink()
    done = plumb.check("--run", "run.db", code=1, cwd=folder)
    assert len([line for line in done.stdout.splitlines() if line.startswith(f"rejected: sample {k} at ")]) == 2
    now = verdicts(plumb, folder)
    assert [now[e, k]["verdict"] for e in ("0.02", "0.06", "0.2")] == ["unknown", "unknown", "violated"]


def other_questions_are_named(plumb, folder):
    for options, words in ((["--eps", "0.1", "--norm", "l2"], "at l2 distance 0.1 is"),
                           (["--eps", "0.05", "--domain", "-1,2"], "at l-infinity distance 0.05 in the domain -1,2 is"),
                           (["--eps", "0.01", "--scale", "1/510"], "at l-infinity distance 0.01 scaled by 1/510 is"),
                           (["--eps", "0.05", "--target", "3", "--mean", "0.1", "--std", "0.5"],
                            "at l-infinity distance 0.05 towards 3 before the normalisation with 0.1 and 0.5 is"),
                           (["--perturbation", "brightness:-0.1,0.1"], "under the perturbation brightness:-0.1,0.1 is")):
        place = folder / options[1].replace("/", "_") / options[3 if len(options) > 2 else 0].replace("/", "_")
        place.mkdir(parents=True)
        done = plumb.run("accuracy", NETWORK, "--data", DATA, "--samples", "0:3", "--out", "run.db", "--certificates",
                         "proofs", "-q", *options, cwd=place)
        assert done.returncode == 0, done.stderr
        found = [line["verdict"] for line in verdicts(plumb, place).values()]
        done = plumb.check("--run", "run.db", cwd=place)
        assert words in done.stdout.splitlines()[-1], (words, done.stdout)
        assert sentence(done)[2] == len(found), (done.stdout, found)


def a_merged_store_keeps_rejections(plumb, folder):
    samples = plumb.small_run(folder)
    proof(folder, samples["holds"][0]).unlink()
    plumb.check("--run", "run.db", code=1, cwd=folder)
    done = plumb.run("merge", "run.db", "run.db", "-o", "merged.db", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = verdicts(plumb, folder, "merged.db")
    assert found[EPSILON, samples["holds"][0]]["verdict"] == "unknown"
    assert found[EPSILON, samples["holds"][1]]["verdict"] == "holds"
    done = plumb.check("--run", "merged.db", code=1, cwd=folder)
    assert "8 samples checked" in done.stdout and sentence(done) == (50, 87.5, 5), done.stdout


def texts_of_the_store_cannot_add_lines(plumb, folder):
    plumb.accuracy(folder, "--samples", "0:3")
    store = sqlite3.connect(folder / "run.db")
    store.execute("UPDATE setting SET value = '0,1;\n0,1' || replace(hex(zeroblob(127)), '00', ';0,1;0,1') "
                  "WHERE name = 'domain'")
    store.commit()
    store.close()
    done = plumb.check("--run", "run.db", cwd=folder)
    assert len(done.stdout.splitlines()) == 2 and " in the domain 0,1;?0,1;" in done.stdout, done.stdout


def bad_input_gets_one_line_that_names_the_file(plumb, folder):
    def refused(code, *words, arguments=("--run", "run.db")):
        done = plumb.check(*arguments, code=code, cwd=folder)
        assert not done.stdout and len(done.stderr.splitlines()) == 1, (done.stdout, done.stderr)
        assert done.stderr.startswith("plumb-check: ") and all(word in done.stderr for word in words), done.stderr

    refused(65, "run.db")
    (folder / "run.db").write_text("no database" * 100)
    refused(65, "run.db")
    (folder / "run.db").unlink()
    other = sqlite3.connect(folder / "run.db")
    other.execute("CREATE TABLE x (y)")
    other.close()
    refused(65, "run.db", "no store")
    (folder / "run.db").unlink()
    plumb.accuracy(folder, "--samples", "0:3", certificates=False)
    refused(65, "run.db", "no certificates")
    store = sqlite3.connect(folder / "run.db")
    store.execute("PRAGMA user_version = 99")
    store.commit()
    refused(65, "run.db", "version")
    store.execute("PRAGMA user_version = 1")
    store.commit()
    refused(65, "none.onnx", arguments=("--run", "run.db", "none.onnx"))
    for setting in ("eps", "norm", "domain", "target"):
        before = store.execute("SELECT value FROM setting WHERE name = ?", [setting]).fetchall()[0]
        store.execute("UPDATE setting SET value = 'none of these' WHERE name = ?", [setting])
        store.commit()
        refused(65, "run.db", arguments=("--run", "run.db", "--certificates", "."))
        store.execute("UPDATE setting SET value = ? WHERE name = ?", [*before, setting])
    store.execute("UPDATE run SET options = json_set(options, '$.samples', json('[[0, 2000000000000]]'))")
    store.commit()
    refused(65, "run.db", "samples")
    store.execute("UPDATE run SET options = json_remove(options, '$.network_sha256')")
    store.commit()
    refused(65, "run.db", "SHA-256")
    store.close()
    for arguments in (["--run"], ["--run", "run.db", "--eps", "0.1"], ["--run", "run.db", "a", "b"],
                      ["--run", "run.db", "--jobs", "many"], ["--run", "run.db", "--sample", "3"],
                      [NETWORK, "property", "proof", "--jobs", "2"]):
        refused(64, arguments=arguments)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--plumb-check", required=True)
    parser.add_argument("checks", nargs="*")
    given = parser.parse_args()
    sys.exit(run_checks(checks_of(sys.modules["__main__"]), Programs(given.plumb, given.plumb_check), given.checks))
