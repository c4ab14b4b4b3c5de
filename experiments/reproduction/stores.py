"""Data-set runs: runs plumb accuracy with a store, which resumes by itself, and reads the store's results."""

import pathlib


class Stores:
    def __init__(self, plumb, folder):
        self.plumb = plumb
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.asked = {}  # commands that ran here, with their results: items share stores

    def run(self, name, network, dataset, region, samples, *options):
        """All results in the store after the run, by sample. `region` is an epsilon, or the name of a perturbation.
        Raises if the budget ends the run; its results can still be read."""
        store = self.folder / f"{name}.db"
        option = "--perturbation" if ":" in region else "--eps"
        arguments = self.plumb.question("accuracy", network, dataset, option, region, "--samples", f"0:{samples}",
                                        *options, "--out", store)
        self.plumb.note(arguments)
        key = tuple(map(str, arguments))
        if key not in self.asked:
            self.plumb.run([*key, "--jobs", str(self.plumb.jobs), "-q"], parse=False)
            self.asked[key] = self.read(name)
        return self.asked[key]

    def read(self, name):
        store = self.folder / f"{name}.db"
        if not store.exists():
            return {}
        deadline, self.plumb.deadline = self.plumb.deadline, None  # reading does not count against the budget
        try:
            return {line["sample"]: line for line in self.plumb.run(["show", str(store), "--json"])}
        finally:
            self.plumb.deadline = deadline
