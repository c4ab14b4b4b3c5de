#!/usr/bin/env python3
"""What certificates cost: time to write and to check them, and their size.

    bench/certificates.py [ROW ...] [--plumb build/release/plumb] [--check build/release/plumb-check] [--limit S]
                          [--exact S] [--keep DIR]

For each question of a row, alternately and on one core: `plumb verify`, the same with --certificate, and `plumb-check`;
with --exact S also `plumb-check --exact`, stopped after S seconds. Seconds are user seconds of the processes. Rows are
data sets of samples (see ROWS), and the lists `vnncomp` and `vnncomp-hard`; all of them by default. Questions that are
not decided within --limit seconds (20) count as open and are left out.

Prints a row for each: questions, certificates, how many are accepted, times and their ratios, sizes. What is not
accepted is listed, and then the exit code is 1. --keep keeps the certificates. 77 if the shared folder is absent.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "vnncomp/runner"))
from instances import read_instances  # noqa: E402 (found by the line above)

MNIST, CIFAR = f"mnist:{SHARED / 'data/mnist'}", f"cifar10:{SHARED / 'data/cifar10-jpeg'}"
# network, data, epsilon, samples
ROWS = {
    "wk17a": ("mnist_wk17a", MNIST, "0.1", 500),
    "rsl18a": ("mnist_rsl18a", MNIST, "0.1", 50),
    "adv_mlp_b": ("mnist_adv_mlp_b_eps0.1", MNIST, "0.1", 100),
    "nor_mlp_b": ("mnist_nor_mlp_b", MNIST, "0.05", 50),
    "res_eps2": ("cifar_res_eps2", CIFAR, "2/255", 20),
    "res_eps8": ("cifar_res_eps8", CIFAR, "8/255", 20),
}
LISTS = ("vnncomp", "vnncomp-hard")


def user_seconds(command, limit=None):
    """(exit code or None if it was stopped, user seconds, output)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=limit)
        code, output = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        code, output = None, ""
    return code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, output


class Question:
    """What `plumb verify` and `plumb-check` are asked; the proof comes last for both."""

    def __init__(self, name, words, timeout=1e9):
        self.name, self.words, self.timeout = name, words, timeout


def questions_of(row):
    if row in ROWS:
        network, data, epsilon, samples = ROWS[row]
        return [Question(f"{network} {sample}", [SHARED / f"networks/{network}.onnx", "--data", data, "--sample", sample,
                                                 "--eps", epsilon]) for sample in range(samples)]
    return [Question(one.name, [one.pairs()[0][1], one.property_file], one.timeout)
            for one in read_instances(SHARED / row / "instances.csv")[0] if len(one.pairs()) == 1]


class Row:
    def __init__(self):
        self.questions = self.accepted = self.exactly = self.exact_tried = 0
        self.plain, self.writing, self.checking, self.sizes, self.failures = [], [], [], [], []

    def text(self, name):
        total = sum(self.plain) or 1e-9
        size = f"{statistics.median(self.sizes) / 1e3:9.1f} {max(self.sizes) / 1e6:8.2f}" if self.sizes else " " * 18
        exact = f"{self.exactly}/{self.exact_tried}" if self.exact_tried else ""
        return (f"{name:13} {self.questions:9} {len(self.sizes):8} {self.accepted:8} {exact:>9} {sum(self.plain):9.2f} "
                f"{sum(self.writing) / total:8.2f} {sum(self.checking) / total:8.2f} {size}")


HEAD = (f"{'row':13} {'questions':>9} {'written':>8} {'accepted':>8} {'exactly':>9} {'search, s':>9} {'writing':>8} "
        f"{'checking':>8} {'median, kB':>9} {'most, MB':>8}")


def run_question(options, question, proof, row):
    row.questions += 1
    verify = [options.plumb, "verify", *question.words, "--threads", "1", "--timeout",
              min(options.limit, question.timeout), "--json", "-q"]
    _, plain, output = user_seconds(verify)
    try:
        verdict = json.loads(output.splitlines()[0])["verdict"]
    except (ValueError, IndexError, KeyError):
        row.failures.append(f"{question.name}: no verdict: {output.strip()[:200]}")
        return
    if verdict == "unknown":
        return
    code, writing, output = user_seconds([*verify, "--certificate", proof])
    if not proof.is_file():
        if "unknown" not in output:
            row.failures.append(f"{question.name}: no certificate: {output.strip()[:200]}")
        return
    code, checking, output = user_seconds([options.check, *question.words, proof])
    row.sizes.append(proof.stat().st_size)
    row.plain.append(plain)
    row.writing.append(writing)
    row.checking.append(checking)
    if code == 0:
        row.accepted += 1
    else:
        row.failures.append(f"{question.name} ({verdict}): {output.strip()[:300]}")
    if options.exact:
        row.exact_tried += 1
        code, _, output = user_seconds([options.check, *question.words, "--exact", proof], options.exact)
        row.exactly += code == 0
        if code not in (0, None):
            row.failures.append(f"{question.name}, exactly: {output.strip()[:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", default=[*ROWS, *LISTS])
    parser.add_argument("--plumb", default=REPOSITORY / "build/release/plumb")
    parser.add_argument("--check", default=REPOSITORY / "build/release/plumb-check")
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--exact", type=float, default=0)
    parser.add_argument("--only", default="", help="questions whose name contains this")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if not SHARED.is_dir():
        print(f"certificates: skipped: {SHARED} is not there (set PLUMB_SHARED)")
        return 77
    print(HEAD, flush=True)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or pathlib.Path(folder)
        keep.mkdir(exist_ok=True)
        for name in options.rows:
            row = Row()
            for number, question in enumerate(questions_of(name)):
                proof = keep / f"{name}-{number}.plumb"
                if options.only in question.name:
                    run_question(options, question, proof, row)
                if options.keep is None:
                    proof.unlink(missing_ok=True)
            print(row.text(name), flush=True)
            for failure in row.failures:
                print(f"  {failure}", flush=True)
            failures += row.failures
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
