#!/usr/bin/env python3
"""The build refuses a wrong include, a wrong namespace and a flag in a string.

    refused.py --cmake PATH

Every folder of src must pass the check that its build runs (src/check_folder.cmake). The check must fail after any of
these is planted: an include of a folder that it may not use, a declaration in another folder's namespace, or a string
that names a flag of the command line (allowed in cli only). The message must name the file and the problem. Exit code 1
on failure.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"


def allowed(folder):
    """The folders under USES in the folder's CMakeLists.txt."""
    text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
    found = re.search(r"\bUSES\s+((?:[a-z_]+\s+)*[a-z_]+)", text)
    return found.group(1).split() if found else []


def reached(name):
    """The folders that this one uses, directly or through others."""
    found, left = set(), [name]
    while left:
        for used in set(allowed(SOURCES / left.pop())) - found:
            found.add(used)
            left.append(used)
    return found


def check(cmake, folder, uses, stamp):
    command = [cmake, f"-DFOLDER={folder}", f"-DALLOWED={','.join(uses)}", f"-DSTAMP={stamp}", "-P",
               SOURCES / "check_folder.cmake"]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def failures_of(cmake, folder, folders, scratch):
    """Copies of the folder: unchanged, with each wrong include in turn, with a wrong namespace, and with a flag."""
    failures = []
    uses = allowed(folder)
    copy = scratch / folder.name
    shutil.copytree(folder, copy)
    whole = check(cmake, copy, uses, scratch / "stamp")
    if whole.returncode != 0:
        failures.append(f"{folder.name} as it is: {whole.stderr}")
    for other in sorted(folders - set(uses) - {folder.name}):
        planted = copy / "planted.h"
        planted.write_text(f'#pragma once\n\n#include "{other}/anything.h"\n')
        refused = check(cmake, copy, uses, scratch / "stamp")
        if refused.returncode == 0 or "planted.h" not in refused.stderr or f"'{other}'" not in refused.stderr:
            failures.append(f"{folder.name} with an include of {other}: {refused.stderr or 'not refused'}")
    planted.write_text("#pragma once\n\nnamespace plumb::elsewhere {\nstruct NearestPoint {};\n}\n")
    refused = check(cmake, copy, uses, scratch / "stamp")
    if folder.name != "base" and (refused.returncode == 0 or "plumb::elsewhere" not in refused.stderr):
        failures.append(f"{folder.name} with a wrong namespace: {refused.stderr or 'not refused'}")
    planted.write_text('#pragma once\n\n// as with --eps\ninline int next(int i) { return f("a", "b", --i); }\n')
    accepted = check(cmake, copy, uses, scratch / "stamp")
    if accepted.returncode != 0:
        failures.append(f"{folder.name} with a decrement: {accepted.stderr}")
    planted.write_text('#pragma once\n\ninline const char* const kRemedies[] = {"b", "use another --out"};\n')
    refused = check(cmake, copy, uses, scratch / "stamp")
    if folder.name != "cli" and (refused.returncode == 0 or "planted.h" not in refused.stderr):
        failures.append(f"{folder.name} with a flag: {refused.stderr or 'not refused'}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmake", required=True)
    cmake = parser.parse_args().cmake
    folders = {path.parent.name for path in SOURCES.glob("*/CMakeLists.txt")}
    assert {"base", "search", "audit", "cli"} <= folders, folders
    # An audit that could see the code that it audits would prove nothing.
    assert not {"bounds", "reduction", "lanes", "search"} & reached("audit"), reached("audit")
    failures = []
    for name in sorted(folders):
        with tempfile.TemporaryDirectory() as scratch:
            failures += failures_of(cmake, SOURCES / name, folders, pathlib.Path(scratch))
    for failure in failures:
        print("FAILED:", failure[:400])
    print(f"{len(folders)} folders, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
