"""The paper's own numbers, each with the table that it comes from: experiments/paper_numbers.json."""

import json
import pathlib

PAPER = json.loads((pathlib.Path(__file__).parents[1] / "paper_numbers.json").read_text())


def rows(item):
    return PAPER[item]["rows"]


def where(item):
    return PAPER[item]["where"]
