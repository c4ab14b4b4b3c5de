#!/usr/bin/env python3
"""Feeds broken, hostile and contradictory files and command lines to plumb.

    bad_input.py --plumb PATH [--filter WORD]

Each run must end within 5 seconds and 500 MB, without a signal, with the right exit code, nothing on stdout, and one
message on stderr that starts with "plumb: ", names the file and says what is wrong. Some valid inputs are among them,
which must be accepted. Prints the failures and `N passed, N failed`. Exit code 1 if there are failures.
"""

import argparse
import multiprocessing
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import broken_data
import broken_networks
from models import Graph

SECONDS = 5
MEGABYTES = 500
# More than any valid run needs, less than what would harm the machine.
ADDRESS_SPACE = 8 << 30


def run(plumb, arguments, folder):
    """Exit code (negative: a signal), stdout, stderr, seconds and peak megabytes of one call."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen([plumb, *arguments], cwd=folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        resource.prlimit(process.pid, resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        # wait4 reports the peak of this child alone. It counts from the fork, so that it is at least the size of this
        # test.
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        while not pid:
            if time.monotonic() - start > 2 * SECONDS:
                process.kill()
            time.sleep(0.002)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        return process.returncode, *texts, seconds, usage.ru_maxrss / 1024


def problem_of(result, codes, words):
    code, out, err, seconds, megabytes = result
    first = err.strip().splitlines()[0] if err.strip() else "nothing"
    if code not in codes:
        return f"exit code {code} instead of {' or '.join(map(str, codes))}, stderr: {first}"
    if seconds > SECONDS:
        return f"took {seconds:.1f} s"
    if megabytes > MEGABYTES:
        return f"took {megabytes:.0f} MB"
    if code == 0:
        return f"stderr: {first}" if "plumb: " in err else None
    if out:
        return f"stdout is not empty: {out.splitlines()[0]}"
    if not one_message(err):
        return f"not one message that starts with 'plumb: ': {err!r}"
    missing = [word for word in words if not re.search(word, err, re.IGNORECASE)]
    return f"the message lacks {missing}: {err!r}" if missing else None


def one_message(text):
    """One line that starts with "plumb: ". Further lines are indented."""
    lines = text.rstrip("\n").split("\n")
    return lines[0].startswith("plumb: ") and all(line[:1] in ("", " ") for line in lines[1:])


def write(path, content):
    path.parent.mkdir(exist_ok=True)
    if isinstance(content, broken_networks.Link):
        path.symlink_to(content.target)
    elif isinstance(content, broken_networks.Pipe):
        os.mkfifo(path)
    else:
        path.write_bytes(content)


def try_network(arguments):
    plumb, trial = arguments
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, content in {trial.name: trial.content, **trial.side_files}.items():
            write(folder / name, content)
        words = [re.escape(trial.blamed or trial.name), *trial.words]
        return f"network: {trial.label}", problem_of(run(plumb, ["inspect", trial.name], folder), trial.codes, words)


def try_command(arguments):
    plumb, folder, command = arguments
    return f"command: {command.label}", problem_of(run(plumb, command.arguments, folder), command.codes, command.words)


def sound_network():
    g = Graph("sound", "two inputs, three outputs")
    return g.end(g.node("Relu", g.dense(g.input(1, 2), 3, 2))).model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", required=True, type=lambda text: str(pathlib.Path(text).resolve(strict=True)))
    parser.add_argument("--filter", default="", help="only what contains this in its label")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, multiprocessing.Pool(2) as pool:
        folder = pathlib.Path(name)
        (folder / "net.onnx").write_bytes(sound_network())
        networks = [(arguments.plumb, t) for group in broken_networks.GROUPS for t in group()
                    if arguments.filter in t.label]
        commands = [(arguments.plumb, folder, c) for group in broken_data.GROUPS for c in group(folder)
                    if arguments.filter in c.label]
        results = list(pool.imap(try_network, networks, chunksize=4))
        results += pool.imap(try_command, commands, chunksize=4)
    failures = [(label, problem) for label, problem in results if problem]
    for label, problem in failures:
        print(f"FAILED {label}\n       {problem}")
    if os.geteuid() == 0:
        print("not tried: a file without permission (root may read everything)")
    print(f"{len(results) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
