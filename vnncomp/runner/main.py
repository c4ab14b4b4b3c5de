"""scripts/vnncomp: a list of instances as the competition runs them, checked, counted, written down. See --help."""

import argparse
import hashlib
import os
import pathlib
import platform
import signal
import subprocess
import sys

import page
import tables
from instances import Mistake, of_categories, read_instances
from one_run import REPOSITORY, run
from result_folder import ResultFolder, line_of, read_rows, read_settings, replace

DESCRIPTION = """Runs a list of VNN-COMP instances (CSV: category, onnx, vnnlib, timeout_s, verdict; or the
competition's own instances.csv, without a head: onnx, vnnlib, timeout) through vnncomp/run_instance.sh, one after the
other. Every sat is checked with ONNX Runtime, every verdict compared with the known one. The same command goes on
where it was stopped."""
EPILOG = """Exit codes: 0 nothing is wrong; 1 a verdict is wrong, a counterexample was refused, or an instance ended in
an error; 64 usage; 65 a broken list or folder; 66 a file is missing; 130 interrupted."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"vnncomp: {message}\n")


def arguments_of(words):
    parser = Parser(prog="scripts/vnncomp", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("list", nargs="?", metavar="INSTANCES.csv")
    parser.add_argument("--limit", type=seconds, default=100, metavar="SECONDS",
                        help="each gets its own timeout or this, whichever is less (default 100)")
    parser.add_argument("--engine", choices=("auto", "bab", "milp"), default="auto")
    parser.add_argument("--only", nargs="+", action="extend", default=[], metavar="CATEGORY")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="for results.csv, results.html and the answers (default build/vnncomp/ENGINE)")
    parser.add_argument("--again", choices=("unknown", "wrong", "error"), help="run these once more")
    parser.add_argument("--plumb", type=pathlib.Path, default=REPOSITORY / "build/release/plumb", metavar="FILE",
                        help="another program than the release build")
    parser.add_argument("--compare", nargs=2, type=pathlib.Path, metavar=("A", "B"),
                        help="two folders of results side by side; comparison.csv and .html go to --out "
                             "(default build/vnncomp/A-B)")
    arguments = parser.parse_args(words)
    if (arguments.list is None) == (arguments.compare is None):
        parser.error("give a list of instances, or --compare A B")
    return arguments


def seconds(text):
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


def settings_of(arguments, list_hash):
    plumb = arguments.plumb
    try:
        version = subprocess.run([plumb, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        with open(plumb, "rb") as file:  # versions stay the same while one works
            build = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    except (OSError, subprocess.CalledProcessError) as error:
        raise Mistake(plumb, f"does not run: {error}", "make build", 66) from None
    return {"engine": arguments.engine, "limit": arguments.limit, "list": list_hash, "machine": machine(),
            "plumb": f"{version.removeprefix('plumb ')} ({build})"}


def machine():
    model = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{len(os.sched_getaffinity(0))} cores, {model}, {memory:.0f} GiB"


def show(done, total, instance, row):
    print(f"[{done:{len(str(total))}}/{total}] {instance.name:56.56} {row['known'] or '-':5} {row['answer']:7} "
          f"{float(row['seconds']):7.2f} s  {row['outcome'] if row['outcome'] != 'solved' else '':7} "
          f"{row['remark'] or row['reason']}".rstrip(), flush=True)


def run_list(arguments):
    instances, list_hash = read_instances(arguments.list)
    wanted = of_categories(instances, arguments.only, arguments.list)
    folder = ResultFolder(arguments.out or REPOSITORY / "build/vnncomp" / arguments.engine,
                          settings_of(arguments, list_hash))
    if arguments.again:
        folder.forget(arguments.again, {instance.key for instance in wanted})
    interrupted = False
    try:
        for done, instance in enumerate(wanted, 1):
            if instance.key in folder.rows:
                continue
            limit = min(instance.timeout, arguments.limit)
            answers = folder.answer_file(instances.index(instance) + 1)
            result = run(instance, limit, arguments.plumb.resolve(), arguments.engine, answers)
            show(done, len(wanted), instance, folder.add(instance, limit, result))
    except KeyboardInterrupt:
        interrupted = True
        print("\nInterrupted; the same command goes on from here.")
    summarise(wanted, folder)
    # What other categories have from earlier stays on the page.
    shown = [instance for instance in instances if instance in wanted or instance.key in folder.rows]
    text = page.results_page(shown, folder.rows, folder.settings, table_of(shown, folder))
    replace(folder.path / "results.html", text)
    print(f"\n{folder.path}/results.csv, results.html")
    if interrupted:
        return 130
    return 1 if any(is_fault(folder.rows[instance.key]) for instance in wanted) else 0


def is_fault(row):
    return row["outcome"] in ("wrong", "error")


def table_of(instances, folder):
    rows = [folder.rows[instance.key] for instance in instances if instance.key in folder.rows]
    return tables.category_table(rows, instances)


def summarise(instances, folder):
    print("\n" + tables.as_text(*table_of(instances, folder)))
    for instance in instances:
        row = folder.rows.get(instance.key)
        if row and is_fault(row):
            print(f"{row['outcome'].upper()}: {instance.name}: {row['remark'] or row['reason']}")


def compare(arguments):
    folders = arguments.compare
    settings = [read_settings(folder) for folder in folders]
    rows = [list(read_rows(folder).values()) for folder in folders]
    names = names_of(folders)
    head, lines, last, different = tables.comparison(names[0], rows[0], names[1], rows[1])
    if last[1] == "0":
        raise Mistake(f"{folders[0]} and {folders[1]}", "have no instance in common", "run the same list in both")
    for name, one in zip(names, settings):
        print(f"{name}: plumb {one['plumb']}, --engine {one['engine']}, --limit {one['limit']:g}")
    print("\n" + tables.as_text(head, lines, last))
    left = [len(side) - int(last[1]) for side in rows]
    if any(left):
        print(f"Left out, because the other does not have them: {left[0]} of {names[0]}, {left[1]} of {names[1]}.")
    out = arguments.out or REPOSITORY / "build/vnncomp" / "-".join(names)
    out.mkdir(parents=True, exist_ok=True)
    replace(out / "comparison.csv", "".join(line_of(line) for line in [head, *lines, last]))
    replace(out / "comparison.html", page.comparison_page(names, settings, head, lines, last, different))
    print(f"\n{out}/comparison.csv, comparison.html")
    contradictions = [(a, b) for a, b in different if tables.contradict(a, b)]
    for a, b in contradictions:
        print(f"WRONG: {a['category']}: {a['onnx']} {a['vnnlib']}: {a['answer']} and {b['answer']}")
    return 1 if contradictions or any(is_fault(row) for side in rows for row in side) else 0


def names_of(folders):
    """The folders' own names, or as much of their paths as tells them apart."""
    parts = [folder.resolve().parts for folder in folders]
    length = next((n for n in range(1, max(map(len, parts))) if parts[0][-n:] != parts[1][-n:]), 1)
    return ["_".join(part[-length:]) for part in parts]


def interrupt(*_):
    raise KeyboardInterrupt


def main(words):
    signal.signal(signal.SIGTERM, interrupt)
    arguments = arguments_of(words)
    try:
        return compare(arguments) if arguments.compare else run_list(arguments)
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return mistake.code
    except BrokenPipeError:  # whoever reads has enough; what was found is written already
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
