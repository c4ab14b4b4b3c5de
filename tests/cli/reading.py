#!/usr/bin/env python3
"""Commands that read stores leave nothing behind: no log, no index, no change.

    tests/cli/reading.py --plumb build/release/plumb [CHECK ...]

Closing line: `N passed, N failed, N skipped`.
"""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys

from accuracy_program import Program, refused, results, rows, wait_for_results
from checks import Skipped, main
from example import REPOSITORY


def call(plumb, *arguments, **how):
    return subprocess.run([os.path.abspath(plumb.path), *map(str, arguments)], capture_output=True, text=True, timeout=300, **how)


def shown(plumb, store, **how):
    """The number of results that plumb show lists."""
    done = call(plumb, "show", store, "--csv", **how)
    assert done.returncode == 0, done.stderr
    return len(done.stdout.splitlines()) - 1


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def reading_leaves_nothing_behind(plumb, folder):
    store, page = folder / "run.db", folder / "page.html"
    plumb.json(store, samples="0:20")
    before = store.read_bytes()
    assert names(folder) == ["run.db"], "the run itself leaves nothing"
    assert shown(plumb, store) == 20 and names(folder) == ["run.db"], names(folder)
    assert call(plumb, "report", store, "-o", page, "-q").returncode == 0
    assert names(folder) == ["page.html", "run.db"], names(folder)
    assert call(plumb, "merge", store, store, "-o", folder / "both.db").returncode == 0
    assert names(folder) == ["both.db", "page.html", "run.db"], names(folder)
    assert store.read_bytes() == before


def what_another_reader_left_is_removed(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, samples="0:5")
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
        reader.execute("SELECT count(*) FROM result").fetchall()
    assert names(folder) == ["run.db", "run.db-shm", "run.db-wal"], names(folder)
    assert shown(plumb, store) == 5 and names(folder) == ["run.db"], names(folder)


def refused_stores_stay_as_they_are(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, samples="0:5")
    other = plumb.run(store, eps="0.07", samples="0:5")
    assert other.returncode == 65 and names(folder) == ["run.db"], (other, names(folder))
    damaged = bytearray(store.read_bytes())
    damaged[4096:8192] = bytes(4096)
    store.write_bytes(damaged)
    assert call(plumb, "show", store).returncode == 65
    assert names(folder) == ["run.db"] and store.read_bytes() == damaged


def stores_in_folders_that_cannot_be_written_can_be_read(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, samples="0:20")
    how = {}
    if os.geteuid() == 0:  # root may write everywhere
        how = {"user": 65534, "group": 65534, "cwd": "/"}
        folder.chmod(0o755)
        try:
            call(plumb, "--version", **how).check_returncode()
        except (OSError, subprocess.CalledProcessError) as error:
            raise Skipped("another user may not run this program") from error
    else:
        folder.chmod(0o555)
    try:
        assert shown(plumb, store, **how) == 20 and names(folder) == ["run.db"], names(folder)
    finally:
        folder.chmod(0o755)


def a_run_that_goes_on_can_be_read_and_loses_nothing(plumb, folder):
    store = folder / "run.db"
    run = plumb.start(store, "--jobs", 1, samples="0:600", eps="0.06,0.08")
    wait_for_results(store, 20)
    counts = [shown(plumb, store) for _ in range(3)]
    assert call(plumb, "report", store, "-o", folder / "page.html", "-q").returncode == 0
    assert run.poll() is None, "the run was too quick for this check"
    assert 20 <= counts[0] <= counts[1] <= counts[2], counts
    run.communicate(timeout=300)
    assert run.returncode == 0 and results(store) == shown(plumb, store) == 1200
    assert names(folder) == ["page.html", "run.db"], names(folder)


def the_log_of_a_killed_run_is_not_lost(plumb, folder):
    store = folder / "run.db"
    run = plumb.start(store, "--jobs", 1, samples="0:600", eps="0.06,0.08")
    wait_for_results(store, 50)
    run.kill()
    run.communicate()
    assert (folder / "run.db-wal").stat().st_size > 0
    copy = folder / "copy"
    copy.mkdir()
    for name in ("run.db", "run.db-wal"):
        (copy / name).write_bytes((folder / name).read_bytes())
    kept = rows(copy / "run.db", "SELECT count(*) FROM result")[0][0]
    assert kept >= 50
    for _ in range(2):
        assert shown(plumb, store) == kept
    assert not list(folder.glob("run.db-*")), "its process is gone, so that its log can go into the file"


def a_report_finds_network_and_data_from_any_folder(plumb, folder):
    work, store, page = folder / "work", folder / "work/run.db", folder / "page.html"
    shutil.copytree(REPOSITORY / "examples/digits", work / "digits")
    network, data = "digits/digits.onnx", "mnist:digits"
    program = os.path.abspath(plumb.path)
    subprocess.run([program, "accuracy", network, "--data", data, "--eps", "0.06", "--samples", "0:5", "--out", "run.db",
                    "-q"], cwd=work, check=True, capture_output=True)
    moved = folder / "moved"
    moved.mkdir()
    shutil.copy(store, moved / "run.db")
    for where, name in ((work, "run.db"), (folder, "work/run.db"), (folder, "moved/run.db"), ("/", store)):
        done = call(plumb, "report", name, "-o", page, cwd=where)
        assert done.returncode == 0 and "not shown" not in done.stderr, (where, name, done.stderr)
    work.rename(folder / "renamed")  # what the run noted is gone, but it is still beside the store
    done = call(plumb, "report", "renamed/run.db", "-o", page, cwd=folder)
    assert done.returncode == 0 and "not shown" not in done.stderr, done.stderr
    done = call(plumb, "report", "moved/run.db", "-o", page, cwd=folder)
    assert done.returncode == 0 and "--network NET says where the network is" in done.stderr, done.stderr
    done = call(plumb, "report", "moved/run.db", "-o", page, "--network", "renamed/" + network, cwd=folder)
    assert done.returncode == 0 and "--data SPEC says where the data set is" in done.stderr, done.stderr


def only_pages_of_plumb_are_replaced(plumb, folder):
    store, page = folder / "run.db", folder / "page.html"
    plumb.json(store, samples="0:5")
    first = call(plumb, "report", store, "-o", page)
    assert first.returncode == 0 and f"plumb: wrote {page} (" in first.stderr, first
    again = call(plumb, "report", store, "-o", page)
    assert again.returncode == 0 and f"plumb: replaced {page} (" in again.stderr, again
    page.write_text("<html>my own notes</html>")
    refused(call(plumb, "report", store, "-o", page), 66, "not a page that plumb report made", "-o")
    assert page.read_text() == "<html>my own notes</html>"
    page.write_text("")
    assert call(plumb, "report", store, "-o", page).returncode == 0


def what_is_no_store_gets_advice_about_stores(plumb, folder):
    table = folder / "results.csv"
    for command in ("show", "report"):
        done = call(plumb, command, table)
        refused(done, 66, "the store does not exist", "plumb accuracy")
        assert "--out" not in done.stderr, done
    table.write_text("sample,verdict\n0,holds\n")
    for command in ("show", "report"):
        done = call(plumb, command, table)
        refused(done, 65, "is not a store", "plumb accuracy")
        assert "--out" not in done.stderr, done


CHECKS = [reading_leaves_nothing_behind, what_another_reader_left_is_removed, refused_stores_stay_as_they_are,
          stores_in_folders_that_cannot_be_written_can_be_read, a_run_that_goes_on_can_be_read_and_loses_nothing,
          the_log_of_a_killed_run_is_not_lost, a_report_finds_network_and_data_from_any_folder, only_pages_of_plumb_are_replaced,
          what_is_no_store_gets_advice_about_stores]


if __name__ == "__main__":
    sys.exit(main(CHECKS, Program))
