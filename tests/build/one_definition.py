#!/usr/bin/env python3
"""Two different definitions of one name do not build.

    one_definition.py --build DIR

The build compiles each folder of src as one translation unit, and every folder has its own namespace
(tests/build/refused.py). A second definition of a name is therefore a compiler error. This test compares the units with
the files of the folders. Then it plants violations that separate compilation and linking accept silently: the build
must refuse each of them, and the folder must compile without them. Exit code 1 on failure, 77 in a build that compiles
files separately.
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
FILES_COMPILED_ALONE = 77

# Planted beside verdict/witness.h and verdict/verdict.h, which define these names.
PLANTED = {
    "a struct of other members": "struct Witness { int other = 0; };",
    "a struct with a destructor": "struct Verdict { ~Verdict() {} double* owned = nullptr; };",
    "an inline function of another body": "inline const char* name_of(Answer) { return \"\"; }",
    "an enumeration": "enum class Evidence { kNone };",
}
# Highway compiles these files several times, once per instruction set.
KERNELS = {"bounds/row_kernels.cc", "lanes/ascent_kernels.cc", "lanes/lane_kernels.cc", "lanes/range_kernels.cc",
           "tensor/matrix_product.cc", "tensor/reductions.cc"}
OWN_PROGRAMS = {"cli/main.cc", "solvers/bonmin.cc", "solvers/cbc.cc", "solvers/glpk.cc", "solvers/highs.cc"}


def units(build):
    """The unit of each folder: the compiler's command and the files of src that the unit includes."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        match = re.search(r"plumb_(\w+)\.dir/Unity/", entry["file"])
        if match:
            included = re.findall(r'#include "(.*)"', pathlib.Path(entry["file"]).read_text())
            found[match.group(1)] = (entry, {file.removeprefix(f"{SOURCES}/") for file in included})
    return found


def left_out(found):
    """Files of src that belong to no unit."""
    compiled = set().union(*(files for _, files in found.values()))
    there = {str(path.relative_to(SOURCES)) for path in SOURCES.glob("*/**/*.cc")}
    return there - compiled - KERNELS - OWN_PROGRAMS


def compiles(entry, text):
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if re.search(r"(g|clang)\+\+", word)):]
    for option in ("-o", "-c"):
        at = words.index(option)
        del words[at:at + 2]
    with tempfile.TemporaryDirectory() as scratch:
        unit = pathlib.Path(scratch) / "unit.cc"
        unit.write_text(text)
        return subprocess.run([*words, "-fsyntax-only", str(unit)], cwd=entry["directory"], capture_output=True,
                              text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    found = units(parser.parse_args().build)
    if not found:
        print("skipped: this build compiles every file alone")
        return FILES_COMPILED_ALONE
    failures = [f"{file} is in no folder's unit" for file in sorted(left_out(found))]
    entry, _ = found["verdict"]
    unit = pathlib.Path(entry["file"]).read_text()
    whole = compiles(entry, unit)
    if whole.returncode != 0:
        failures.append(f"verdict as it is: {whole.stderr}")
    for what, definition in PLANTED.items():
        planted = compiles(entry, f"{unit}\nnamespace plumb::verdict {{\n{definition}\n}}\n")
        if planted.returncode == 0 or "error:" not in planted.stderr:
            failures.append(f"{what} was not refused: {planted.stderr[:400]}")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(found)} units, {len(PLANTED)} planted violations, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
