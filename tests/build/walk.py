#!/usr/bin/env python3
"""Every file that the developers' documents name exists.

    walk.py

src/README.md walks through the code, and HACKING.md says where to add things. Both name files in backticks, relative to
the root, to src, or to the folder that the sentence is about. Exit code 1 if one of them does not exist.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ("src/README.md", "HACKING.md")
# Names that are examples, or files that a build makes.
NOT_FILES = re.compile(r"NAME|DIR|^build/|^\.deps/")


def named_files(text):
    for code in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(r"[\w./-]+\.(?:h|cc|py|cmake|txt|md|inl|json)", code) and not NOT_FILES.search(code):
            yield code


def main():
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                             check=True).stdout.split()
    there = [f"/{path}" for path in tracked if (ROOT / path).exists()]
    missing, count = [], 0
    for document in DOCUMENTS:
        for name in named_files((ROOT / document).read_text()):
            count += 1
            if not any(path.endswith(f"/{name}") for path in there):
                missing.append(f"{document}: `{name}`")
    for name in missing:
        print("FAILED: there is no such file:", name)
    print(f"{count} names, {len(missing)} failures")
    assert count > 100, "the documents name more files than that"
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
