#!/usr/bin/env python3
"""Results that cannot be written: every command must report this in one message and use the exit code for files.

    tests/cli/output_errors.py --plumb build/release/plumb [CHECK ...]

/dev/full stands in for a full disk. Closing line: `N passed, N failed, N skipped`.
"""

import os
import pathlib
import subprocess
import sys

from checks import main

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
NETWORK = str(REPOSITORY / "examples/digits/digits.onnx")
DATA = ["--data", f"mnist:{REPOSITORY / 'examples/digits'}"]
PROPERTY = str(REPOSITORY / "examples/digits/image7.vnnlib")
CANNOT_WRITE = 66


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE):
        return subprocess.run([self.path, *map(str, arguments)], stdout=stdout, stderr=stderr, text=True, timeout=120)

    def store(self, folder):
        path = folder / "run.db"
        done = self.run("accuracy", NETWORK, *DATA, "--samples", "0:13", "--eps", "0.1", "--out", path, "-q")
        assert done.returncode == 0, done.stderr
        return path


def complains_once(done, *words):
    lines = done.stderr.splitlines()
    assert done.returncode == CANNOT_WRITE, (done.args, done.returncode, done.stderr)
    assert sum(line.startswith("plumb: ") for line in lines) == 1 and len(lines) == 2, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def commands(plumb, folder):
    """One command line for each command, and for each of its output formats."""
    around = [NETWORK, *DATA, "--sample", "7", "--eps", "0.06", "-q"]
    store = plumb.store(folder)
    for json in ([], ["--json"]):
        yield from (["inspect", NETWORK, *json], ["eval", NETWORK, *DATA, "-q", *json], ["solvers", *json],
                    ["bounds", *around, *json], ["attack", *around, *json], ["verify", *around, *json],
                    ["worst", *around, *json], ["verify", NETWORK, PROPERTY, "-q", *json],
                    ["distortion", NETWORK, *DATA, "--sample", "7", "--perturbation", "contrast:0,3", "-q", *json],
                    ["accuracy", NETWORK, *DATA, "--samples", "0:13", "--eps", "0.1", "--out", store, "-q", *json],
                    ["show", store, *json])
    yield from (["show", store, "--csv"], ["merge", store, "-o", folder / "merged.db"], ["--help"], ["--version"],
                ["verify", "--help"])


def a_full_disk_behind_standard_output_is_told(plumb, folder):
    with open("/dev/full", "w") as full:
        for command in commands(plumb, folder):
            complains_once(plumb.run(*command, stdout=full), "standard output: cannot be written", "No space left")


def much_output_to_a_full_disk_is_told_once(plumb, _):
    with open("/dev/full", "w") as full:  # more than a buffer, so that the error occurs before the end
        done = plumb.run("verify", NETWORK, *DATA, "--samples", "0:100", "--eps", "0.06", "--json", "-q", stdout=full)
    complains_once(done, "standard output: cannot be written", "No space left")


def a_closed_standard_output_is_told_and_no_file_takes_its_place(plumb, folder):
    store = folder / "run.db"
    done = subprocess.run(f"'{plumb.path}' accuracy '{NETWORK}' {' '.join(DATA)} --samples 0:13 --eps 0.1 --out '{store}' "
                          "-q >&-", shell=True, stderr=subprocess.PIPE, text=True, timeout=120)
    complains_once(done, "standard output: cannot be written")
    assert plumb.run("show", store).returncode == 0  # nothing was printed into the store


def a_pipe_that_nobody_reads_ends_the_program_quietly(plumb, _):
    reading, writing = os.pipe()
    os.close(reading)
    done = plumb.run("inspect", NETWORK, stdout=writing)
    os.close(writing)
    assert done.returncode == -13 and not done.stderr, done  # SIGPIPE; 141 in a shell


def messages_that_cannot_be_written_change_nothing(plumb, _):
    with open("/dev/full", "w") as full:
        done = plumb.run("verify", NETWORK, *DATA, "--samples", "0:3", "--eps", "0.06", "--target", "7", stderr=full)
        assert done.returncode == 0 and "samples robust" in done.stdout, done
        assert plumb.run("verify", NETWORK, stderr=full).returncode == 64


def a_full_disk_behind_an_output_file_is_told(plumb, folder):
    store = plumb.store(folder)
    program = [NETWORK, *DATA, "--sample", "0", "--eps", "0.08", "-q", "--engine", "milp"]
    for command in (["eval", NETWORK, *DATA, "-q", "--outputs", "/dev/full"], ["report", store, "-q", "-o", "/dev/full"],
                    ["verify", NETWORK, PROPERTY, "-q", "--result", "/dev/full"],
                    ["verify", *program, "--write-model", "/dev/full"],
                    ["show", store, "--witnesses", "/dev/full"]):
        complains_once(plumb.run(*command), "/dev/full: cannot be written")
    for kind in ("npy", "png"):
        pictures = folder / kind
        pictures.mkdir()
        for sample in (0, 12):
            os.symlink("/dev/full", pictures / f"sample{sample:05}_eps0.1.{kind}")
        complains_once(plumb.run("show", store, f"--{kind}", pictures), f".{kind}: cannot be written")


CHECKS = [a_full_disk_behind_standard_output_is_told, much_output_to_a_full_disk_is_told_once,
          a_closed_standard_output_is_told_and_no_file_takes_its_place,
          a_pipe_that_nobody_reads_ends_the_program_quietly, messages_that_cannot_be_written_change_nothing,
          a_full_disk_behind_an_output_file_is_told]

if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
