"""Runs the program: commands in parallel, within a budget, each recorded in the journal."""

import concurrent.futures
import json
import os
import shlex
import signal
import subprocess
import sys
import time

from .journal import Journal

DROPPED = ("witness", "outputs")  # large, and not needed here


class OutOfTime(Exception):
    """The budget is spent. The results so far are shown, and the same command continues."""


class Failed(Exception):
    """Plumb reported an error."""


class Plumb:
    def __init__(self, program, networks, data, out, jobs, budget=None):
        self.program = str(program)
        self.networks = networks
        self.data = data  # argument of --data, by data set
        self.jobs = jobs
        self.deadline = None if budget is None else time.monotonic() + budget
        self.journal = Journal(out / "journal.jsonl")
        self.commands = []  # of the current item, as a person would type them

    def network(self, name):
        """The file of a network, given by its name or as a path."""
        return str(name) if os.path.sep in str(name) else str(self.networks / f"{name}.onnx")

    def question(self, command, network, dataset, *options):
        return [command, self.network(network), "--data", self.data[dataset], *map(str, options)]

    def measure(self, command, network, dataset, *options):
        """The JSON lines of one command; from the journal if it ran before."""
        arguments = self.question(command, network, dataset, *options)
        key = self.journal.key(arguments, self.network(network))
        self.note(arguments)
        lines = self.journal.find(key)
        if lines is None:
            lines = self.run([*arguments, "--json", "-q"])
            self.journal.add(key, lines)
        return lines

    def measure_all(self, questions):
        """Runs several commands, as many at a time as there are jobs. Each should use one thread."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(self.measure, *question) for question in questions]
            try:
                return [future.result() for future in futures]
            except BaseException:
                for future in futures:
                    future.cancel()
                raise

    def note(self, arguments):
        """Combines commands that differ only in samples and targets."""
        any_of = {"--sample": "K", "--target": "T"} | ({"--samples": "A:B"} if arguments[0] == "bounds" else {})
        words = [any_of.get(before, word) for before, word in zip(["", *arguments], arguments)]
        text = shlex.join(["plumb", *map(str, words)])
        if text not in self.commands:
            self.commands.append(text)

    def run(self, arguments, parse=True):
        """Interrupted when the budget is spent: plumb accuracy then keeps its results so far."""
        left = None if self.deadline is None else self.deadline - time.monotonic()
        if left is not None and left <= 0:
            raise OutOfTime
        process = subprocess.Popen([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True,
                                   # Ctrl-C in the terminal reaches only this process, which passes it on once.
                                   start_new_session=True)
        try:
            out, errors = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise OutOfTime from None
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
        if process.returncode == 130:
            raise KeyboardInterrupt
        if process.returncode not in (0, 1, 2):
            raise Failed(f"{shlex.join(['plumb', *arguments])}\n{errors.strip()}")
        return [without_points(json.loads(line)) for line in out.splitlines()] if parse else None


def without_points(line):
    return {key: value for key, value in line.items() if key not in DROPPED}


def progress(text):
    print(text, file=sys.stderr, flush=True)
