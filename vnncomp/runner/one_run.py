"""One instance through vnncomp/run_instance.sh, as the competition runs it: what it answered, what it took, whether
that is right.

A verdict is wrong if it contradicts the known one, or if the checker refuses its counterexample. An answer that comes
after the limit is none: it counts as a timeout, whatever it is.
"""

import dataclasses
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = FOLDER.parent
ANSWERS = ("sat", "unsat", "timeout", "unknown", "error")
# How long after its limit a run may go on until it is ended from here. It should never need that.
GRACE = 30


@dataclasses.dataclass(frozen=True)
class Result:
    answer: str  # one of ANSWERS
    outcome: str  # solved, wrong, unknown, error
    seconds: float
    # The resident memory of its largest process at its largest; not below what this program had when it started it,
    # which the system counts (some 20 MiB).
    peak_mib: float
    reason: str  # plumb's
    remark: str  # what is wrong, or worth knowing


def run(instance, limit, plumb, engine, results):
    """The Result; the results file is left at `results`. KeyboardInterrupt goes through, with nothing left running."""
    command = [FOLDER / "run_instance.sh", "v1", instance.category, instance.network_argument(), instance.property_file,
               results, f"{limit:g}"]
    with tempfile.TemporaryFile("w+") as output:
        seconds, peak, ended = watched(command, limit + GRACE, output, {"PLUMB": str(plumb), "PLUMB_ENGINE": engine})
        output.seek(0)
        said = output.read()
    reason = reason_in(said)
    try:
        answer = pathlib.Path(results).read_text().split("\n", 1)[0].strip()
    except OSError:
        return Result("error", "error", seconds, peak, reason, "there is no results file")
    if not ended or seconds > limit:
        pathlib.Path(results).write_text("timeout\n")
        late = f"'{answer}' came after {seconds:.2f} s" if ended else f"did not end by itself within {seconds:.0f} s"
        return Result("timeout", "unknown", seconds, peak, reason, late)
    outcome, remark = judge(instance, answer, results)
    return Result(answer, outcome, seconds, peak, reason, remark)


def watched(command, seconds, output, variables):
    """Runs a command in a process group of its own: (wall-clock seconds, peak MiB, whether it ended by itself)."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                               start_new_session=True, env=os.environ | variables)
    try:
        ended = has_ended(process.pid, seconds)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    # Of the script and of everything that it waited for.
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - start, usage.ru_maxrss / 1024, ended


def has_ended(pid, seconds):
    """Whether the child ends within so many seconds. It is not waited for."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def reason_in(said):
    """What plumb says about its verdict, or, where there is none, its complaint."""
    found = re.search(r"^(?:holds|violated|unknown): (.*), [\d.e+-]+ s$", said, re.MULTILINE)
    if found:
        return found.group(1)
    lines = [line for line in said.splitlines() if line not in ANSWERS and ": note: " not in line]
    return " ".join(line.strip() for line in lines)[:500]


def judge(instance, answer, results):
    """(outcome, remark) of an answer that came in time."""
    if answer in ("timeout", "unknown"):
        return "unknown", ""
    if answer not in ("sat", "unsat"):
        return "error", "" if answer == "error" else f"'{answer[:40]}' is no answer"
    contradicted = {answer, instance.known} == {"sat", "unsat"}
    known = f"known as {instance.known} ({instance.confidence or 'by the list'})"
    if answer == "unsat":
        return ("wrong", known) if contradicted else ("solved", "")
    accepted, remark = checked(instance, results)
    if not accepted:
        return "wrong", remark
    if contradicted:
        return "wrong", f"{known}, but the counterexample was {remark}: look at the list"
    return "solved", remark.removeprefix("accepted").removeprefix(": ")


def checked(instance, results):
    """(whether the checker accepts the results file, what it says). In a process of its own: it needs memory, which the
    system would count as that of the instances that are started afterwards."""
    (_, first), *more = instance.pairs()
    command = [sys.executable, FOLDER / "runner/checker.py", instance.property_file, results, first,
               *(f"{name}={file}" for name, file in more)]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    return done.returncode == 0, (done.stdout.strip() or done.stderr.strip().split("\n")[-1] or "the checker crashed")
