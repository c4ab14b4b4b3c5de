"""Stores that are about something else, broken or out of room; for accuracy.py."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess

import numpy as np

from accuracy_program import refused, rows, solves
from checks import Skipped
from example import NETWORK, REPOSITORY


def other_questions_are_refused_with_the_difference(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, samples="0:5")
    before = store.read_bytes()
    refused(plumb.run(store, samples="0:5", eps="0.1"), 65, "was made with eps 0.06; this command says 0.1",
            "use another --out, or --eps 0.06 to continue")
    refused(plumb.run(store, "--norm", "l2", samples="0:5"), 65, "norm linf; this command says l2")
    refused(plumb.run(store, "--domain", "-1,1", samples="0:5"), 65, "domain 0,1; this command says -1,1")
    refused(plumb.run(store, "--target", "3", samples="0:5"), 65, "target any other label; this command says 3")
    network = pathlib.Path(NETWORK).read_bytes()
    changed = folder / "changed.onnx"
    changed.write_bytes(changed_weight(network))
    refused(plumb.run(store, samples="0:5", network=str(changed)), 65, "network ", "digits.onnx (hash ",
            "changed.onnx (hash ")
    x = np.random.default_rng(1).random((20, 1, 16, 16), np.float32)
    np.savez(folder / "noise.npz", x=x, y=np.arange(20) % 10)
    refused(plumb.run(store, samples="0:5", data=f"npz:{folder / 'noise.npz'}"), 65, "data mnist:", "data ", "noise.npz")
    assert store.read_bytes() == before, "a store that was refused was written to"
    # The same question under other names is the same.
    copied = folder / "copied.onnx"
    shutil.copy(NETWORK, copied)
    os.symlink(REPOSITORY / "examples/digits", folder / "digits")
    _, (summary,) = plumb.json(store, samples="0:5", network=str(copied), data=f"mnist:{folder / 'digits'}",
                               eps="6/100")
    assert summary["solved_here"] == 0, summary


def changed_weight(network):
    import onnx
    model = onnx.load_from_string(network)
    weight = next(t for t in model.graph.initializer if t.data_type == onnx.TensorProto.FLOAT and len(t.dims) > 1)
    values = onnx.numpy_helper.to_array(weight).copy()
    values.flat[0] += 1e-3
    weight.CopyFrom(onnx.numpy_helper.from_array(values, weight.name))
    return model.SerializeToString()


def broken_stores_are_named_and_not_written_to(plumb, folder):
    store = folder / "run.db"
    plumb.json(store, samples="0:40")
    whole = store.read_bytes()

    def attempt(name, content, code, *words):
        path = folder / name
        path.write_bytes(content)
        refused(plumb.run(path, samples="0:41"), code, name, *words)
        assert path.read_bytes() == content, f"{name} was written to"

    attempt("text.db", b"this is a letter, not a store\n" * 40, 65, "is not a store")
    attempt("half.db", whole[:len(whole) // 2], 65, "damaged")
    attempt("short.db", whole[:4096], 65, "damaged")
    attempt("few.db", whole[:50], 65)
    place = whole.index(b"linear bounds")
    attempt("flipped.db", whole[:place] + b"L" + whole[place + 1:], 65, "damaged", "digest")
    attempt("zeros.db", whole[:8192] + bytes(4096) + whole[12288:], 65, "damaged")

    foreign = folder / "foreign.db"
    with contextlib.closing(sqlite3.connect(foreign)) as database:
        database.execute("CREATE TABLE recipe (name TEXT)")
        database.commit()
    refused(plumb.run(foreign, samples="0:5"), 65, "is an SQLite database, but not a store of Plumb")

    newer = folder / "newer.db"
    newer.write_bytes(whole)
    with contextlib.closing(sqlite3.connect(newer)) as database:
        database.execute("PRAGMA user_version = 99")
    refused(plumb.run(newer, samples="0:5"), 65, "newer", "store version 99")

    refused(plumb.run(folder / "missing" / "run.db"), 66, "does not exist")
    refused(plumb.run(folder), 65, "is not a file")
    (folder / "empty.db").write_bytes(b"")
    assert plumb.run(folder / "empty.db", samples="0:5").returncode == 0


def a_full_disk_loses_nothing(plumb, folder):
    place = folder / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", place], capture_output=True)
    if mounted.returncode != 0:
        raise Skipped("a small file system cannot be mounted here")
    try:
        store = place / "run.db"
        done = plumb.run(store, samples="0:1000", eps="0.02")
        refused(done, 66, "the disk is full", "the same command again")
        known = rows(store, "SELECT count(*) FROM result")[0][0]
        assert 0 < known < 1000 and rows(store, "PRAGMA integrity_check") == [("ok",)], known
        subprocess.run(["mount", "-o", "remount,size=64m", place], check=True)
        lines, (summary,) = plumb.json(store, samples="0:1000", eps="0.02")
        assert len(lines) == 1000 and summary["pending"] == 0, summary
        assert summary["solved_here"] == 1000 - known and solves(store) == 1000, (known, summary)
    finally:
        subprocess.run(["umount", place], check=True)
