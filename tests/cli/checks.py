"""The frame for scripts of checks: functions of the program and a folder, which fail by raising an exception."""

import argparse
import inspect
import pathlib
import tempfile
import time


class Skipped(Exception):
    pass


def checks_of(*modules):
    """The functions of the modules that begin with the program as a parameter, `plumb`, in their order."""
    return [check for module in modules for check in vars(module).values()
            if inspect.isfunction(check) and check.__module__ == module.__name__
            and next(iter(inspect.signature(check).parameters), None) == "plumb"]


def run_checks(checks, plumb, names):
    """Runs the named checks, or all, each in its own folder. Returns the exit code of the script."""
    passed = failed = skipped = 0
    for check in checks:
        if names and check.__name__ not in names:
            continue
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(plumb, pathlib.Path(folder))
                passed += 1
                print(f"passed: {check.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
            except Skipped as reason:
                skipped += 1
                print(f"SKIPPED: {check.__name__}: {reason}", flush=True)
            except Exception as error:  # the other checks still run
                failed += 1
                print(f"FAILED: {check.__name__}: {type(error).__name__}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 77 if skipped and not passed else 0


def main(checks, program):
    """Parses --plumb FILE [CHECK ...]. The checks get program(FILE)."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("checks", nargs="*")
    options = parser.parse_args()
    return run_checks(checks, program(options.plumb), options.checks)
