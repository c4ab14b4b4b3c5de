#!/usr/bin/env python3
"""Certificates that plumb verify and plumb accuracy write: when there is one, when there is none, and its bytes.

    tests/cli/certificates.py --plumb build/release/plumb [CHECK ...]

What is in them is checked by plumb-check. Closing line: `N passed, N failed, N skipped`.
"""

import gzip
import hashlib
import json
import pathlib
import resource
import signal
import statistics
import subprocess
import sys
import time

from checks import Skipped, main

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "examples/digits"
NETWORK = EXAMPLE / "digits.onnx"
DATA = ["--data", f"mnist:{EXAMPLE}"]
PROPERTY = EXAMPLE / "image7.vnnlib"
SHARED = REPOSITORY.parent / "shared"
BEGINNING = b"plumb certificate\n\x01"
HOLDS, VIOLATED = b"\x01\x00\x04real", b"\x01\x01\x04real"
END = b"\x1e"


class Program:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def arguments(self, *arguments):
        return [self.path, *map(str, arguments)]

    def run(self, *arguments, **options):
        return subprocess.run(self.arguments(*arguments), capture_output=True, text=True, timeout=300, **options)

    def sample(self, sample, file, *options, eps="0.06", **more):
        return self.run("verify", NETWORK, *DATA, "--sample", sample, "--eps", eps, "--certificate", file, "-q",
                        *options, **more)

    def samples_that_need_trees(self):
        done = self.run("verify", NETWORK, *DATA, "--samples", "0:300", "--eps", "0.06", "--json", "-q")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return [line["sample"] for line in lines if line.get("reason") == "branch and bound"]


def content(file, answer):
    """The uncompressed bytes of a complete certificate with this answer."""
    packed = file.read_bytes()
    assert packed[4:8] == b"\0\0\0\0", "the gzip header has a time stamp"
    found = gzip.decompress(packed)
    assert found.startswith(BEGINNING + answer) and found.endswith(END), found[:40]
    return found


def refused(done, code, *words):
    assert done.returncode == code and done.stderr.startswith("plumb: "), (done.returncode, done.stderr)
    assert all(word in done.stderr for word in words), (words, done.stderr)


def no_file_is_left(folder):
    assert not list(folder.iterdir()), list(folder.iterdir())


def names_the_network_by_its_hash(plumb, folder):
    file = folder / "proof.plumb"
    assert plumb.sample(7, file).returncode == 0
    assert hashlib.sha256(NETWORK.read_bytes()).hexdigest().encode() in content(file, HOLDS)


def has_the_same_bytes_for_any_number_of_threads_and_under_audit(plumb, folder):
    samples = plumb.samples_that_need_trees()[:4]
    assert len(samples) == 4
    for sample in samples:
        found = set()
        for options in (["--threads", 1], ["--threads", 2], ["--threads", 2, "--audit"]):
            file = folder / "proof.plumb"
            done = plumb.sample(sample, file, *options)
            assert done.returncode == 0, done.stderr
            found.add(file.read_bytes())
        assert len(found) == 1, f"sample {sample}: {len(found)} different certificates"


def a_property_has_one(plumb, folder):
    for answer, options in ((HOLDS, []),):
        file = folder / "proof.plumb"
        done = plumb.run("verify", NETWORK, PROPERTY, "--certificate", file, "--json", *options)
        assert done.returncode == 0, (done.returncode, done.stderr)
        assert json.loads(done.stdout)["certificate"] == str(file)
        content(file, answer)


def a_witness_is_one(plumb, folder):
    file = folder / "proof.plumb"
    done = plumb.sample(7, file, "--json", eps="0.5")
    line = json.loads(done.stdout)
    assert done.returncode == 1 and line["certificate"] == str(file), (done.returncode, done.stdout)
    assert content(file, VIOLATED).count(b"\x1d") >= 1


def an_unknown_answer_has_none(plumb, folder):
    sample = plumb.samples_that_need_trees()[0]
    done = plumb.sample(sample, folder / "proof.plumb", "--work-limit", 1, "--json")
    assert done.returncode == 2 and json.loads(done.stdout)["certificate"] is None, done
    assert "no certificate was written: the answer is unknown" in done.stderr
    no_file_is_left(folder)


def a_stop_leaves_nothing(plumb, folder):
    network = SHARED / "networks/mnist_rsl18a.onnx"
    if not network.exists():
        raise Skipped("there is no ../shared/networks")
    for stop, code in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)):
        process = subprocess.Popen(
            plumb.arguments("verify", network, "--data", f"mnist:{SHARED / 'data/mnist'}", "--sample", 7, "--eps",
                            "0.1", "--certificate", folder / "proof.plumb", "-q"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        if process.poll() is not None:
            raise Skipped("the question is no longer hard")
        process.send_signal(stop)
        process.communicate(timeout=60)
        assert process.returncode == code, process.returncode
        no_file_is_left(folder)


def what_cannot_be_certified_is_refused(plumb, folder):
    file = folder / "proof.plumb"
    refused(plumb.run("verify", NETWORK, *DATA, "--samples", "0:3", "--eps", "0.06", "--certificate", file), 64,
            "--certificate", "needs --sample", "accuracy --certificates")
    for options in (["--engine", "milp"], ["--engine", "bounds"], ["--encoding", "layered"]):
        refused(plumb.sample(7, file, *options), 64, "--certificate", "bab")
    refused(plumb.run("accuracy", NETWORK, *DATA, "--eps", "0.06", "--out", folder / "run.db", "--certificates",
                      folder / "proofs", "--engine", "milp"), 64, "--certificates", "bab")
    no_file_is_left(folder)


def a_folder_that_cannot_be_used_is_told_before_the_search(plumb, folder):
    for file in (folder / "none" / "proof.plumb", folder):
        done = plumb.sample(7, file)
        refused(done, 66, str(folder))
        assert not done.stdout and len(done.stderr.splitlines()) == 2, done.stderr
    (folder / "file").write_text("no folder")
    done = plumb.run("accuracy", NETWORK, *DATA, "--eps", "0.06", "--out", folder / "run.db", "--certificates",
                     folder / "file" / "proofs")
    refused(done, 66, "proofs")


def with_full_disk():
    """Files may not grow, which programs see as they see a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def a_full_disk_does_not_lose_the_verdict(plumb, folder):
    done = plumb.sample(7, folder / "proof.plumb", preexec_fn=with_full_disk)
    assert "holds" in done.stdout, done.stdout
    refused(done, 66, "proof.plumb", "cannot be written")
    assert len(done.stderr.splitlines()) == 2, done.stderr
    no_file_is_left(folder)


def a_run_writes_those_of_new_samples(plumb, folder):
    def run(samples):
        done = plumb.run("accuracy", NETWORK, *DATA, "--samples", samples, "--eps", "0.06,8/255", "--out",
                         folder / "run.db", "--certificates", folder / "proofs", "-q")
        assert done.returncode == 0, done.stderr
        return {path: path.stat().st_mtime_ns for path in folder.glob("proofs/*/*")}
    first, second = run("0:20"), run("0:40")
    assert set(first) < set(second) and all(second[path] == moment for path, moment in first.items())
    show = plumb.run("show", folder / "run.db", "--json")
    for line in map(json.loads, show.stdout.splitlines()):
        if "sample" not in line or line.get("implied_by"):
            continue
        answer = {"robust": HOLDS, "vulnerable": VIOLATED, "holds": HOLDS, "violated": VIOLATED}[line["verdict"]]
        name = f"eps-{line['epsilon'].replace('/', '_')}/sample-{line['sample']:05}.plumb"
        content(folder / "proofs" / name, answer)


def are_small(plumb, folder):
    """The median of the first 50 samples, those that hold."""
    network = SHARED / "networks/mnist_wk17a.onnx"
    if not network.exists():
        raise Skipped("there is no ../shared/networks")
    done = plumb.run("accuracy", network, "--data", f"mnist:{SHARED / 'data/mnist'}", "--samples", "0:50", "--eps",
                     "0.1", "--out", folder / "run.db", "--certificates", folder / "proofs", "-q")
    assert done.returncode == 0, done.stderr
    sizes = [path.stat().st_size for path in folder.glob("proofs/*/*")]
    assert len(sizes) == 50 and statistics.median(sizes) <= 20_000, (len(sizes), statistics.median(sizes), max(sizes))


CHECKS = [names_the_network_by_its_hash, has_the_same_bytes_for_any_number_of_threads_and_under_audit,
          a_property_has_one, a_witness_is_one, an_unknown_answer_has_none, a_stop_leaves_nothing,
          what_cannot_be_certified_is_refused, a_folder_that_cannot_be_used_is_told_before_the_search,
          a_full_disk_does_not_lose_the_verdict, a_run_writes_those_of_new_samples, are_small]

if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
