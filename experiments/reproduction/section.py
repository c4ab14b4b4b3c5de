"""What an item shows, for any output format: a title, tables, charts, notes and the commands that were run."""

import dataclasses


@dataclasses.dataclass
class Table:
    columns: list                 # (group, heading); adjacent columns of the same group share a heading above them
    caption: str = ""
    lines: list = dataclasses.field(default_factory=list)   # (kind, cells); kind: "paper", "plumb" or "plain"
    left: int = 1                 # number of leading columns that are text

    def add(self, kind, *cells):
        assert len(cells) == len(self.columns), (len(cells), self.columns)
        self.lines.append((kind, [str(cell) for cell in cells]))


@dataclasses.dataclass
class Chart:
    name: str      # of the file
    svg: str       # takes its colours from the page: charts.py
    caption: str


@dataclasses.dataclass
class Section:
    name: str
    title: str
    where: str     # place in the paper
    tables: list = dataclasses.field(default_factory=list)
    charts: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    commands: list = dataclasses.field(default_factory=list)


NOT_YET = "not yet measured"


def percent(share):
    return "—" if share is None else f"{100 * share:.2f} %"


def of_paper(value):
    """A percentage as the paper prints it."""
    return "—" if value is None else f"{value:.2f} %"


def number(value, digits=2):
    if value is None:
        return "—"
    return f"{value:,.0f}" if isinstance(value, int) or digits == 0 else f"{value:,.{digits}f}"


def seconds(value):
    """With three significant digits, from milliseconds to hours."""
    if value is None:
        return "—"
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}"
