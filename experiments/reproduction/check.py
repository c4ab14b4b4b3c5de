"""What every result must satisfy, whatever the numbers: the checks of all items, and published verdicts.

    PYTHONPATH=experiments .deps/python/bin/python -m reproduction.check OUT --truth FILE.csv

Reads the results that experiments/paper left in OUT. Exit code 1 if an item is missing, incomplete or false.
"""

import argparse
import csv
import json
import pathlib
import sys


def wrong_verdicts(name, verdicts, truth):
    """Complaints about verdicts that differ from the published ones. A misclassified sample counts as vulnerable."""
    for sample, verdict in verdicts.items():
        said = {"holds": "robust", "violated": "vulnerable"}.get(verdict)
        if said and truth.get(int(sample), said) != said:
            yield f"{name}: sample {sample} {verdict}, published: {truth[int(sample)]}"


def read_truth(path):
    with open(path, newline="") as file:
        verdicts = {int(row["sample"]): row["verdict"] for row in csv.DictReader(file)}
    return {sample: verdict.replace("misclassified", "vulnerable") for sample, verdict in verdicts.items()}


def complaints(out, truth):
    from .items import ITEMS
    for name, item in ITEMS.items():
        path = pathlib.Path(out) / "results" / f"{name}.json"
        if not path.exists():
            yield f"{name}: no results"
            continue
        result = json.loads(path.read_text())
        if not result["complete"]:
            yield f"{name}: not complete"
        yield from (f"{name}: {complaint}" for complaint in item.complaints(result["data"], truth))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--truth", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    found = list(complaints(arguments.out, read_truth(arguments.truth)))
    print("\n".join(found) or "all items are complete, and nothing contradicts itself or what is published")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
