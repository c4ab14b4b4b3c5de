#!/usr/bin/env python3
"""Programs written by Plumb, solved by Gurobi if its Python package is installed, have the optimum found by
enumeration.

    tests/conformance/gurobi_models.py --writer build/release/tests/write_models

Exit code 77 (skipped) without gurobipy. Closing line: `N passed, N failed`.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import gurobipy
except ImportError:
    print("skipped: gurobipy is not installed in this Python")
    sys.exit(77)


def optimum(environment, path):
    model = gurobipy.read(str(path), env=environment)
    model.Params.MIPGap = 1e-9
    model.optimize()
    return model.ObjVal if model.Status == gurobipy.GRB.OPTIMAL else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--writer", required=True)
    writer = parser.parse_args().writer
    failed = passed = 0
    with tempfile.TemporaryDirectory() as name, gurobipy.Env(params={"OutputFlag": 0}) as environment:
        folder = pathlib.Path(name)
        subprocess.run([writer, folder], check=True)
        for line in (folder / "optima.csv").read_text().splitlines():
            file, expected = line.split(",")
            found = optimum(environment, folder / file)
            same = (found is None) == (expected == "infeasible")
            if same and found is not None:
                same = abs(found - float(expected)) < 1e-4
            passed, failed = passed + same, failed + (not same)
            if not same:
                print(f"FAILED: {file}: {found} instead of {expected}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
