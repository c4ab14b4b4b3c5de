#!/usr/bin/env python3
"""No rule in src/ tests for single operations of the network. Rules visit network::Op, so that the compiler reports
every missing case when an operation is added, as HACKING.md promises.

A line such as `if (std::holds_alternative<network::Relu>(op)) ... else ...` compiles with a new operation, and silently
treats it like the operations of the else branch. network/op_kind.h says what to write instead.

usage: operations.py
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Files that may test for single operations, and why no operation can be forgotten there.
ALLOWED = {
    "network/simplify.cc": "merges pairs of operations where it can; what has no rule stays as it is, which is right",
    "network/repeated_units.cc": "affine maps whose rows it compares; other maps keep all their rows, which is right",
}


def operations():
    """The alternatives of network::Op."""
    text = (ROOT / "src/network/op.h").read_text()
    listed = re.search(r"using Op =\s*std::variant<([^>]*)>;", text)
    assert listed, "src/network/op.h no longer declares Op as a std::variant"
    return [name.strip() for name in listed[1].split(",")]


def tests_for_single_operations(text, names):
    """(line number, line) of every test for one of the named operations."""
    pattern = re.compile(rf"\b(?:holds_alternative|get_if)\s*<\s*(?:const\s+)?(?:\w+::)*(?:{'|'.join(names)})\s*>")
    return [(text.count("\n", 0, found.start()) + 1, found[0]) for found in pattern.finditer(text)]


def main():
    names = operations()
    assert len(names) >= 10, names
    # The search itself must find all tests, also across line breaks, and nothing else.
    planted = "f(std::holds_alternative<\n  network::Relu>(op), std::get_if<Maximum>(&op), std::get_if<property::Box>(&r));"
    assert [line for line, _ in tests_for_single_operations(planted, names)] == [1, 2]

    complaints, used = [], set()
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".cc", ".h"):
            continue
        file = path.relative_to(ROOT / "src").as_posix()
        found = tests_for_single_operations(path.read_text(), names)
        if found and file in ALLOWED:
            used.add(file)
        else:
            complaints += [f"src/{file}:{line}: {text}: visit the operation (network/op_kind.h)" for line, text in found]
    complaints += [f"src/{file} is in ALLOWED for nothing" for file in sorted(set(ALLOWED) - used)]
    print("\n".join(complaints) or f"no rule tests for single operations ({len(names)} operations)")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
