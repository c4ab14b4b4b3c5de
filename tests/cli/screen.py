#!/usr/bin/env python3
"""What plumb accuracy, show and verify print fits a screen of 80 columns, and says when it is not complete.

    tests/cli/screen.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios

from accuracy_program import Program, rows, wait_for_results
from checks import main
from example import DATA, NETWORK

MANY = ",".join(f"{k / 200:g}" for k in range(1, 21))


def call(plumb, *arguments):
    return subprocess.run([plumb.path, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def fits(text):
    assert max(map(len, text.splitlines())) <= 80, [line for line in text.splitlines() if len(line) > 80]


def twenty_epsilons_fit_a_screen(plumb, folder):
    done = plumb.run(folder / "run.db", "--pgd", eps=MANY, samples="0:20")
    assert done.returncode == 0, done
    fits(done.stdout)
    assert len(done.stdout.splitlines()) <= 45 and "all 20" in done.stdout, done.stdout
    assert "Not complete" not in done.stdout and "20 samples," in done.stdout, done.stdout
    shown = call(plumb, "show", folder / "run.db", "--filter", "vulnerable")
    fits(shown.stdout)
    assert "not complete" not in shown.stdout and " -> " in shown.stdout, shown.stdout
    fits(call(plumb, "show", folder / "run.db", "--sample", "7").stdout.partition("\n\n")[2])


def few_epsilons_are_shown_one_by_one(plumb, folder):
    done = plumb.run(folder / "run.db", eps="0.02,0.04", samples="0:20")
    assert re.search(r"^0.02  robust", done.stdout, re.M) and re.search(r"^0.04  robust", done.stdout, re.M), done.stdout


def verdicts_fit_a_screen(plumb, _):
    done = call(plumb, "verify", NETWORK, "--data", DATA, "--samples", "0:30", "--eps", "0.1", "-q")
    table = done.stdout.partition("\n\n")[0]
    fits(table)
    assert "becomes" in table


def an_interrupted_run_says_over_how_many_samples_its_numbers_are(plumb, folder):
    store = folder / "run.db"
    run = plumb.start(store, "--jobs", 1, "--pgd", samples="0:1000", eps="0.06,0.08")
    wait_for_results(store, 20)
    run.send_signal(signal.SIGINT)
    text, _ = run.communicate(timeout=60)
    assert run.returncode == 130, run.returncode
    fits(text)
    done = sum(count == 2 for _, count in rows(store, "SELECT sample, count(*) FROM question GROUP BY sample"))
    assert f"Not complete: {done} of 1,000 samples are done" in text, (done, text)
    assert re.search(r"The test error is [\d.]+ %, over all 1,000 samples", text), text
    results = int(re.search(r"about the ([\d,]+) of 2,000 results so far", text).group(1).replace(",", ""))
    assert re.search(rf"^{done} of 1,000 samples, .*\ninterrupted: the same command", text, re.M), text
    assert re.search(r"^0.06 .* \d+ of [\d,]+$", text, re.M), "PGD was not tried on all samples"
    shown = call(plumb, "show", store).stdout
    assert f"{results:,} results\n" in shown, shown[-200:]
    assert f"not complete: {2000 - results:,} of 2,000 results are missing" in shown, shown[-200:]


def the_progress_line_is_whole_on_a_narrow_terminal(plumb, folder):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    arguments = plumb.arguments(folder / "run.db", "--jobs", 1, samples="0:1000", eps=MANY)
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=theirs) as run:
        os.close(theirs)
        drawn = b""
        while drawn.count(b"\r") < 12:
            drawn += os.read(ours, 4096)
        run.kill()
    lines = [line for line in drawn.decode().replace("\x1b[K", "").split("\r") if line][:-1]
    assert lines and max(map(len, lines)) < 80, lines
    whole = r"[\d,]+/1,000  (\S+/s  )?(> )?.*? left(  eps 0.1 \(20 of 20\): error \S+ to \S+ %)?(  .*)?"
    assert all(re.fullmatch(whole, line) for line in lines), lines
    assert any("(20 of 20): error" in line for line in lines), lines


CHECKS = [twenty_epsilons_fit_a_screen, few_epsilons_are_shown_one_by_one, verdicts_fit_a_screen,
          an_interrupted_run_says_over_how_many_samples_its_numbers_are,
          the_progress_line_is_whole_on_a_narrow_terminal]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
