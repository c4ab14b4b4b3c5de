#!/usr/bin/env python3
"""plumb-check shares no code with Plumb.

    checker_alone.py --check build/release/plumb-check

No file of checker/ may include a file of src/, link one of its libraries, or live outside of the folder; and the
program loads no library but those that docs/certificates.md names. Each test is shown to fail on a planted violation.
Prints the lines of checker/. Exit code 1 on failure.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER = ROOT / "checker"
# ONNX's message definitions, exact numbers, gzip, SHA-256, SQLite, and what every C++ program loads.
LIBRARIES = {"protobuf", "onnx_proto", "onnx", "gmp", "gmpxx", "z", "crypto", "sqlite3", "stdc++", "m", "gcc_s", "c",
             "pthread", "dl", "linux-vdso", "ld-linux-x86-64"}


def foreign_includes(name, text):
    """Quoted includes that are no file of the checker."""
    return [f"{name} includes {file}" for file in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.MULTILINE)
            if "/" in file or not (CHECKER / file).is_file()]


def foreign_targets(text):
    return [f"it links {target}" for target in re.findall(r"\bplumb_\w+", re.sub(r"#.*", "", text))
            if target != "plumb_checker"]


def foreign_libraries(text):
    names = [re.split(r"\.so", pathlib.Path(line.split()[0]).name)[0].removeprefix("lib")
             for line in text.splitlines() if line.split()]
    return [f"it loads {name}" for name in names if name not in LIBRARIES]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", required=True)
    options = parser.parse_args()
    files = sorted([*CHECKER.glob("*.h"), *CHECKER.glob("*.cc")])
    build = (CHECKER / "CMakeLists.txt").read_text()
    loaded = subprocess.run(["ldd", options.check], capture_output=True, text=True, check=True).stdout
    problems = [problem for file in files for problem in foreign_includes(file.name, file.read_text())]
    problems += foreign_targets(build) + foreign_libraries(loaded)
    planted = (foreign_includes("planted.h", '#include "network/network.h"\n'),
               foreign_targets("target_link_libraries(plumb_checker PRIVATE plumb_bounds)"),
               foreign_libraries("libplumb_bounds.so.1 => /lib/libplumb_bounds.so.1 (0x0)"))
    problems += ["a planted violation is not noticed" for found in planted if not found]
    lines = sum(len(file.read_text().splitlines()) for file in files)
    print(f"checker: {len(files)} files, {lines:,} lines")
    for problem in problems:
        print(f"checker_alone: {problem}", file=sys.stderr)
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
