"""The command line: runs the chosen items with the given size and budget, then writes all results as a page and as
Markdown."""

import argparse
import datetime
import json
import os
import pathlib
import sys

from . import charts, markdown, page, rows
from .items import ITEMS
from .plumb import Failed, OutOfTime, Plumb, progress
from .sizes import size_of
from .stores import Stores

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))


class Context:
    """What an item may use while it runs."""

    def __init__(self, arguments, plumb, stores, name, result):
        self.arguments, self.plumb, self.stores, self.name, self.result = arguments, plumb, stores, name, result
        self.out = arguments.output
        self.size = self.size_of(name)
        self.in_time = True

    def keep(self):
        """The results measured so far, kept on disk."""
        self.result.update(commands=self.plumb.commands,
                           date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"))
        write_result(self.out, self.name, self.result)

    def size_of(self, name):
        return size_of(self.arguments.size, name, self.arguments.samples, self.arguments.limit)

    def rows(self, all_rows):
        """The requested items, in that order. The result lists those that are not finished."""
        unfinished = self.result.setdefault("unfinished", [row.name for row in all_rows])
        by_name = {row.name: row for row in all_rows}
        for row in (by_name[name] for name in self.arguments.rows or by_name if name in by_name):
            if row.name not in unfinished:
                unfinished.append(row.name)
            yield row
            if self.in_time:
                unfinished.remove(row.name)

    def results(self, store, *question):
        """The results of a data-set run. If the budget ends the run, the results so far."""
        try:
            return self.stores.run(store, *question)
        except OutOfTime:
            self.in_time = False
            return self.stores.read(store)

    def exact_results(self, row):
        """The results of the row in table 2, which several items use."""
        size = self.size_of("adversarial-accuracy")
        return self.results(row.name, row.network, row.dataset, row.eps, size.large if row.large else size.samples,
                            "--pgd", "--timeout", size.limit)

    def say(self, text):
        progress(f"{self.name}: {text}")


def arguments_of(words):
    known = [row.name for row in rows.of_the_paper() + rows.published()]
    parser = argparse.ArgumentParser(
        prog="experiments/paper",
        description="The paper's tables and figures, measured with Plumb. Stop it in any way: the same command "
                    "continues.",
        epilog=f"Items (all, unless some are named): {', '.join(ITEMS)}. Rows: {', '.join(known)}.")
    parser.add_argument("items", nargs="*", metavar="ITEM")
    size = parser.add_mutually_exclusive_group()
    for name, text in (("quick", "minutes on two cores (default)"), ("full", "a night or more"),
                       ("smoke", "a minute: what the tests run")):
        size.add_argument(f"--{name}", dest="size", action="store_const", const=name, help=text)
    parser.set_defaults(size="quick")
    parser.add_argument("--rows", nargs="+", metavar="ROW",
                        help="only these rows of the tables that have networks as rows")
    parser.add_argument("--networks", type=pathlib.Path, default=SHARED / "networks", metavar="DIR")
    parser.add_argument("--mnist", type=pathlib.Path, default=SHARED / "data/mnist", metavar="DIR",
                        help="IDX files, plain or .gz")
    parser.add_argument("--cifar", type=pathlib.Path, default=SHARED / "data/cifar10-jpeg", metavar="DIR",
                        help="the binary version, plain or .gz")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=REPOSITORY / "build/paper", metavar="OUT",
                        help="folder of the page, the stores and the journal (default: build/paper)")
    parser.add_argument("--budget", type=float, metavar="MINUTES", help="stop after so long, and show what there is")
    parser.add_argument("--samples", type=int, metavar="N", help="instead of the size's number")
    parser.add_argument("--limit", type=float, metavar="S", help="seconds a question, instead of the size's")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="questions at the same time (default: one a core)")
    parser.add_argument("--plumb", type=pathlib.Path, default=REPOSITORY / "build/release/plumb", metavar="FILE")
    arguments = parser.parse_intermixed_args(words)
    for name, names in (("item", set(arguments.items) - set(ITEMS)), ("row", set(arguments.rows or ()) - set(known))):
        if names:
            parser.error(f"no such {name}: {', '.join(sorted(names))}")
    return arguments


def read_result(out, name):
    path = out / "results" / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def write_result(out, name, result):
    path = out / "results" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".new").write_text(json.dumps(result, indent=1))
    path.with_suffix(".new").replace(path)


def run_item(arguments, plumb, stores, name):
    """Returns False if the budget ended the item. Measurements are saved as they arrive."""
    result = (read_result(arguments.output, name) if arguments.rows else None) or {"data": {}}
    result.update(size=arguments.size, complete=False, cores=os.cpu_count(), jobs=arguments.jobs)
    plumb.commands = result.get("commands", [])
    context = Context(arguments, plumb, stores, name, result)
    try:
        ITEMS[name].run(context, result["data"])
    except OutOfTime:
        context.in_time = False
    result["complete"] = context.in_time and not result.get("unfinished")
    context.keep()
    return context.in_time


def write_pages(out):
    sections = []
    for name, item in ITEMS.items():
        result = read_result(out, name)
        if result is None or not any(result["data"].values()):
            continue
        section = item.section(result["data"])
        section.commands = result["commands"]
        section.notes.append(f"Measured {result['date']}, size {result['size']}, {result['jobs']} at a time on "
                             f"{result['cores']} cores"
                             + ("." if result["complete"] else "; not complete yet."))
        sections.append(section)
    (out / "figures").mkdir(exist_ok=True)
    for section in sections:
        for chart in section.charts:
            (out / "figures" / f"{chart.name}.svg").write_text(charts.standalone(chart.svg))
    title = "Evaluating Robustness of Neural Networks with Mixed Integer Programming, with Plumb"
    intro = ["Tables and figures of Tjeng, Xiao, Tedrake (ICLR 2019), beside what Plumb measures. Shaded rows are "
             "Plumb's.",
             "“own”: the paper's own weights (LPd-CNNA at 0.1 and SDPd-MLPA). “stand-in”: another network of the same "
             "kind, whose figures are not expected to equal the paper's. “published”: the weights of the table that "
             "is cited beside it. CIFAR-10 images went through one JPEG round trip unless another data set was given."]
    (out / "paper.html").write_text(page.page(title, intro, sections))
    (out / "paper.md").write_text(markdown.document(title, intro, sections))
    progress(f"written: {out / 'paper.html'}, {out / 'paper.md'}")


def main(words):
    arguments = arguments_of(words)
    for option in ("--networks", "--mnist", "--cifar", "--plumb"):
        path = getattr(arguments, option[2:])
        if not path.exists():
            hint = f"give {option}, or set PLUMB_SHARED to the folder of the shared networks and data"
            progress(f"paper: {path} is not there\n       {'run make build' if option == '--plumb' else hint}")
            return 66
    arguments.output.mkdir(parents=True, exist_ok=True)
    data = {"MNIST": f"mnist:{arguments.mnist}", "CIFAR-10": f"cifar10:{arguments.cifar}"}
    plumb = Plumb(arguments.plumb, arguments.networks, data, arguments.output, arguments.jobs,
                  None if arguments.budget is None else 60 * arguments.budget)
    stores = Stores(plumb, arguments.output / "stores")
    code = 0
    try:
        for name in arguments.items or ITEMS:
            if not run_item(arguments, plumb, stores, name):
                progress("paper: the budget is spent; the same command continues")
                break
    except KeyboardInterrupt:
        progress("paper: interrupted; the same command continues")
        code = 130
    except Failed as problem:
        progress(f"paper: {problem}")
        code = 70
    write_pages(arguments.output)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
