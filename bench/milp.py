#!/usr/bin/env python3
"""Times `plumb verify --engine milp` on mnist_wk17a at l-infinity 0.1 with HiGHS, one thread.

    bench/milp.py [--plumb build/release/plumb] [--samples 50] [--hard 500] [--limit 60] [--short 2] [--only LETTERS]

(a) Compares the reduced with the layered encoding, alternately, with the paper's own tightening (interval, then LP) on
    the first --samples samples, and on samples that linear bounds do not decide. A sample that reaches its limit, three
    times --short seconds, counts as the limit, so that the printed factor is a lower bound.
(b) Decides the first --hard samples. All must be decided, and the verdicts must be the published ones.
(c) The paper's ablations on the first --samples samples, in the layout of its table 1, --short seconds per sample.
(d) Compares one program per label with one program with indicators, on the first --together samples, with intervals
    alone.
(e) Compares rows of units' convex hulls separated at the root with none (--no-cuts), alternately, on samples that
    bounds and attack leave open, also of other networks, fifteen times --short seconds per sample. Measures processor
    seconds, which depend less on the load of the machine.

(a), (c) and (d) run without cuts, so that each measures one thing. Exit code 77 if the shared folder is absent, 1 if a
verdict differs from the published one or two verdicts contradict each other.
"""

import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
sys.path.insert(0, str(REPOSITORY / "experiments"))

from reproduction.items import ablation  # noqa: E402
LEFT_TO_THE_SOLVER = (65, 245, 406, 443, 326)
WITH_CUTS = {"mnist_wk17a": (211, 479, 326, 443), "mnist_adv_mlp_b_eps0.1": (0, 1, 4, 5, 6, 7, 15),
             "mnist_rsl18a": (2, 4, 6, 11), "mnist_cnn_small_adv": (6,)}


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        with open(SHARED / "truth/mnist_wk17a_eps0.1_first500.csv", newline="") as file:
            self.truth = {int(row["sample"]): row["verdict"] for row in csv.DictReader(file)}
        self.wrong = 0

    def verify(self, samples, *options, limit=None, network="mnist_wk17a"):
        done = subprocess.run([self.arguments.plumb, "verify", str(SHARED / f"networks/{network}.onnx"), "--data",
                               f"mnist:{SHARED / 'data/mnist'}", "--eps", "0.1", "--samples", samples, "--engine",
                               "milp", "--threads", "1", "--timeout", str(limit or self.arguments.limit), "--json", *options],
                              capture_output=True, text=True, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()][:-1]
        for line in lines if network == "mnist_wk17a" else ():
            robust = {"holds": True, "violated": False}.get(line["verdict"])
            if robust is not None and robust != (self.truth[line["sample"]] == "robust"):
                print(f"  WRONG: sample {line['sample']} {line['verdict']}, published: {self.truth[line['sample']]}")
                self.wrong += 1
        return lines

    def compare_encodings(self):
        limit = 3 * self.arguments.short
        print(f"(a) reduced against layered encoding, limit {limit} s a sample")
        groups = (("interval,lp", range(self.arguments.samples)), ("interval,linear", LEFT_TO_THE_SOLVER))
        for tighten, samples in groups:
            seconds, late = {"reduced": 0.0, "layered": 0.0}, {"reduced": 0, "layered": 0}
            for k in samples:
                for form in seconds:
                    line, = self.verify(f"{k}:{k + 1}", "--tighten", tighten, "--encoding", form, "--no-cuts",
                                        limit=limit)
                    seconds[form] += line["seconds"]
                    late[form] += line["verdict"] == "unknown"
            print(f"  {len(samples):3} samples, {tighten:15} "
                  + "   ".join(f"{form} {seconds[form]:8.2f} s ({late[form]} met the limit)" for form in seconds)
                  + f"   {seconds['layered'] / seconds['reduced']:.1f}x (aim 10x)", flush=True)

    def first_samples(self):
        lines = self.verify(f"0:{self.arguments.hard}")
        total = sum(line["seconds"] for line in lines)
        unknown = sum(line["verdict"] == "unknown" for line in lines)
        slowest = max(lines, key=lambda line: line["seconds"])
        print(f"(b) first {len(lines)}: {total:.2f} s (aim 60), {unknown} unknown, slowest {slowest['seconds']:.2f} s "
              f"(sample {slowest['sample']})")
        for reason in sorted({line["reason"] for line in lines}):
            print(f"  {reason:20} {sum(line['reason'] == reason for line in lines):4}")

    def ablations(self):
        print(f"(c) ablations, interval,linear,lp, limit {self.arguments.short} s; the second line of each pair: samples "
              f"{', '.join(map(str, LEFT_TO_THE_SOLVER))}, which linear bounds leave\n"
              "  optimisation removed     samples   build   solve   total    nodes mean  median   timed out")
        hard = [f"{k}:{k + 1}" for k in LEFT_TO_THE_SOLVER]
        for name, options in ablation.REMOVED.items():
            tighten = ablation.TIGHTEN[name].replace("interval,lp", "interval,linear,lp")
            for ranges in ([f"0:{self.arguments.samples}"], hard):
                lines = [line for some in ranges
                         for line in self.verify(some, "--no-cuts", "--tighten", tighten, *options,
                                                 limit=self.arguments.short)]
                self.print_row(name, lines)

    @staticmethod
    def print_row(name, lines):
        row = ablation.figures(lines)
        print(f"  {name:24} {len(lines):7} {row['build']:7.3f} {row['solve']:7.3f} {row['total']:7.3f} "
              f"{row['nodes_mean']:13.2f} {row['nodes_median']:7.0f} {row['timed_out']:11.4f}", flush=True)

    def compare_labels(self):
        print(f"(d) one program a label against one for all, intervals alone, first {self.arguments.together}")
        for form in ("one-by-one", "together"):
            lines = self.verify(f"0:{self.arguments.together}", "--no-cuts", "--tighten", "interval", "--labels", form)
            print(f"  {form:12} {sum(line['seconds'] for line in lines):8.2f} s, "
                  f"{sum(line['verdict'] == 'unknown' for line in lines)} met the limit")

    def compare_cuts(self):
        limit = 15 * self.arguments.short
        print(f"(e) with and without cuts at the root, limit {limit} s a sample; processor seconds\n"
              "  network                 samples      with   decided  rigorous   without   decided  rigorous")
        for network, samples in WITH_CUTS.items():
            ways = {(): [], ("--no-cuts",): []}
            for k in samples:
                for options, lines in ways.items():
                    before = processor_seconds()
                    line, = self.verify(f"{k}:{k + 1}", *options, limit=limit, network=network)
                    lines.append(line | {"processor": processor_seconds() - before})
                    print(f"    {network} {k} {' '.join(options) or 'with cuts':9} {lines[-1]['processor']:6.2f} s "
                          f"{line['verdict']}, {line['reason']}", flush=True)
                verdicts = {lines[-1]["verdict"] for lines in ways.values()} - {"unknown"}
                if len(verdicts) > 1:
                    print(f"  WRONG: {network} sample {k}: {' and '.join(sorted(verdicts))}")
                    self.wrong += 1
            columns = [f"{sum(line['processor'] for line in lines):9.2f} "
                       f"{sum(line['verdict'] != 'unknown' for line in lines):9} "
                       f"{sum(line['evidence'] == 'rigorous' for line in lines):9}" for lines in ways.values()]
            print(f"  {network:24}{len(samples):7} {' '.join(columns)}", flush=True)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", default=str(REPOSITORY / "build/release/plumb"))
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--hard", type=int, default=500)
    parser.add_argument("--together", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--short", type=float, default=2)
    parser.add_argument("--only", default="abcde")
    arguments = parser.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: the shared networks are not at {SHARED} (set PLUMB_SHARED)")
        return 77
    bench = Bench(arguments)
    parts = {"a": bench.compare_encodings, "b": bench.first_samples, "c": bench.ablations, "d": bench.compare_labels,
             "e": bench.compare_cuts}
    for letter in arguments.only:
        parts[letter]()
        sys.stdout.flush()
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
