"""Broken data sets and command lines, for bad_input.py.

Every function takes a folder with a valid network `net.onnx` (2 inputs, 3 outputs) and yields Command(label, arguments,
codes, words). It writes the files that it needs beside the network.
"""

import collections
import gzip
import io
import os
import zipfile

import numpy as np

Command = collections.namedtuple("Command", "label arguments codes words")

USAGE, BAD, MISSING = (64,), (65,), (66,)
# For a sample that the data set does not have: either the option or the data can be called wrong.
USAGE_OR_BAD = (64, 65)


def evaluation(label, specification, codes, *words, options=()):
    return Command(label, ["eval", "net.onnx", "--data", specification, *options], codes, words)


def as_npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def npy_claiming(shape, descr="<f4"):
    """A file of one kilobyte whose header claims `shape`."""
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 1024


def arrays(folder):
    x, y = np.zeros((10, 2), np.float32), np.zeros(10, np.int64)
    files = {
        "x.npy": as_npy(x), "y.npy": as_npy(y), "short_y.npy": as_npy(y[:9]), "label3.npy": as_npy(y + 3),
        "label_minus.npy": as_npy(y - 1), "wide.npy": as_npy(np.zeros((10, 5), np.float32)),
        "nan.npy": as_npy(np.full((10, 2), np.nan, np.float32)), "none.npy": as_npy(x[:0]),
        "cut.npy": as_npy(x)[:-8], "header_cut.npy": as_npy(x)[:40], "objects.npy": as_npy(np.array([{}, {}], object)),
        "text.npy": b"hello\n", "empty.npy": b"", "claims.npy": npy_claiming((10 ** 12, 2)),
        "overflows.npy": npy_claiming((2 ** 62, 2 ** 62)), "negative.npy": npy_claiming((-5, 2)),
        "strings.npy": as_npy(np.array([["a", "b"]])), "half_y.npy": as_npy(y + 0.5),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    yield evaluation("sound arrays", "npy:x.npy,y.npy", (0,))
    for name in ("cut", "header_cut", "objects", "text", "empty", "claims", "overflows", "negative", "strings", "nan"):
        yield evaluation(f"array {name}", f"npy:{name}.npy", BAD, f"{name}.npy")
    yield evaluation("no samples", "npy:none.npy", BAD, "none.npy|no samples|empty")
    yield evaluation("labels cut", "npy:x.npy,short_y.npy", BAD, "short_y.npy|x.npy", "9|10")
    yield evaluation("label beyond the outputs", "npy:x.npy,label3.npy", BAD, "label3.npy|x.npy", "label", "3")
    yield evaluation("negative label", "npy:x.npy,label_minus.npy", BAD, "label_minus.npy|x.npy", "label", "-1")
    yield evaluation("label that is no integer", "npy:x.npy,half_y.npy", BAD, "half_y.npy|x.npy", "label|integer")
    yield evaluation("samples of another size", "npy:wide.npy", BAD, "wide.npy", "5", "2")
    yield evaluation("missing array", "npy:gone.npy", MISSING, "gone.npy")
    yield evaluation("missing labels", "npy:x.npy,gone.npy", MISSING, "gone.npy")
    yield evaluation("folder for an array", "npy:.", MISSING, ".")


def archives(folder):
    np.savez(folder / "sound.npz", x=np.zeros((4, 2), np.float32), y=np.zeros(4, np.int64))
    whole = (folder / "sound.npz").read_bytes()
    (folder / "cut.npz").write_bytes(whole[:len(whole) // 2])
    (folder / "text.npz").write_bytes(b"hello\n" * 50)
    np.savez(folder / "other.npz", y=np.zeros(4, np.int64))
    with zipfile.ZipFile(folder / "claims.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy_claiming((10 ** 12, 2)))
        archive.writestr("y.npy", as_npy(np.zeros(4, np.int64)))
    yield evaluation("sound archive", "npz:sound.npz", (0,))
    for name in ("cut", "text", "other", "claims"):
        yield evaluation(f"archive {name}", f"npz:{name}.npz", BAD, f"{name}.npz")
    yield evaluation("missing archive", "npz:gone.npz", MISSING, "gone.npz")


def tables(folder):
    files = {"sound.csv": "0,0.5,0.25\n2,1,0\n", "ragged.csv": "0,0.5,0.25\n1,0.5\n", "words.csv": "0,0.5,cat\n",
             "empty.csv": "", "label.csv": "0,0,0\n7,0,0\n", "nan.csv": "0,nan,0\n", "huge.csv": "0,1e999,0\n"}
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "bytes.csv").write_bytes(bytes(range(256)))
    (folder / "cut.csv.gz").write_bytes(gzip.compress(files["sound.csv"].encode() * 100)[:-20])
    yield evaluation("sound table", "csv:sound.csv", (0,))
    for name in ("ragged.csv", "words.csv", "empty.csv", "label.csv", "nan.csv", "huge.csv", "bytes.csv", "cut.csv.gz"):
        yield evaluation(f"table {name}", f"csv:{name}", BAD, name)
    yield evaluation("missing table", "csv:gone.csv", MISSING, "gone.csv")


def idx(magic, *dims, data=b""):
    return magic.to_bytes(4, "big") + b"".join(d.to_bytes(4, "big") for d in dims) + data


def image_folders(folder):
    images, labels = idx(2051, 3, 1, 2, data=bytes(6)), idx(2049, 3, data=bytes(3))
    variants = {
        "sound": (images, labels), "cut": (images[:-2], labels), "long": (images + b"\0", labels),
        "magic": (idx(2052, 3, 1, 2, data=bytes(6)), labels), "claims": (idx(2051, 2 ** 31, 1, 2), labels),
        "wraps": (idx(2051, 2 ** 31, 2 ** 31, 4), labels), "fewer": (images, idx(2049, 2, data=bytes(2))),
        "header": (images[:7], labels), "nothing": (b"", labels),
    }
    for name, (image_bytes, label_bytes) in variants.items():
        (folder / name).mkdir()
        (folder / name / "t10k-images-idx3-ubyte").write_bytes(image_bytes)
        (folder / name / "t10k-labels-idx1-ubyte").write_bytes(label_bytes)
    (folder / "packed").mkdir()
    (folder / "packed" / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(images)[:-6])
    (folder / "packed" / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    (folder / "bare").mkdir()
    yield evaluation("sound images", "mnist:sound", (0,))
    for name in ("cut", "long", "magic", "claims", "wraps", "fewer", "header", "nothing", "packed"):
        yield evaluation(f"images {name}", f"mnist:{name}", BAD, name, "idx[13]-ubyte")
    yield evaluation("folder without images", "mnist:bare", MISSING, "bare")
    yield evaluation("missing folder", "mnist:gone", MISSING, "gone")
    (folder / "cifar").mkdir()
    (folder / "cifar" / "test_batch.bin").write_bytes(bytes(3073 + 5))
    yield evaluation("cifar10 with half a record", "cifar10:cifar", BAD, "test_batch.bin")
    yield evaluation("cifar10 folder without images", "cifar10:bare", MISSING, "bare")


def command_lines(folder):
    sound = "csv:sound.csv"
    for text in ("5:2", "abc", "1:2:3", "-1:1", "0:1x", "99999999999999999999:5"):
        yield evaluation(f"--samples={text}", sound, USAGE, "samples", options=[f"--samples={text}"])
    yield evaluation("--samples beyond the data", sound, USAGE_OR_BAD, "2", options=["--samples", "0:5"])
    for text in ("2", "1000000"):
        yield evaluation(f"--sample {text}", sound, USAGE_OR_BAD, "sample", text, options=["--sample", text])
    for text in ("-1", "x", "1.5"):
        yield evaluation(f"--sample={text}", sound, USAGE, "sample", options=[f"--sample={text}"])
    yield evaluation("both --sample and --samples", sound, USAGE, "sample",
                     options=["--sample", "0", "--samples", "0:1"])
    yield evaluation("unknown option", sound, USAGE, "wobble", options=["--wobble"])
    yield evaluation("unknown precision", sound, USAGE, "precision", options=["--precision", "half"])
    for text in ("0", "-2", "many", "99999999999"):
        yield evaluation(f"--threads={text}", sound, USAGE, "threads", options=[f"--threads={text}"])
    yield evaluation("outputs into a missing folder", sound, MISSING, "gone", options=["--outputs", "gone/o.npy"])
    yield evaluation("unknown kind of data", "tape:x", USAGE, "tape")
    yield evaluation("data without a kind", "sound.csv", USAGE, "sound.csv")
    yield evaluation("npy without a file", "npy:", USAGE_OR_BAD + MISSING)
    yield Command("no data", ["eval", "net.onnx"], USAGE, ["data"])
    yield Command("no network", ["eval"], USAGE, [])
    yield Command("no command", [], USAGE, [])
    yield Command("unknown command", ["frobnicate", "net.onnx"], USAGE, ["frobnicate"])
    yield Command("one argument too many", ["inspect", "net.onnx", "other.onnx"], USAGE, ["other.onnx"])


def missing_networks(folder):
    yield Command("missing network", ["inspect", "gone.onnx"], MISSING, ["gone.onnx"])
    yield Command("missing network in a missing folder", ["inspect", "gone/net.onnx"], MISSING, ["gone/net.onnx"])
    yield Command("folder for a network", ["inspect", "sound"], MISSING, ["sound"])
    yield Command("file for a folder", ["inspect", "net.onnx/inner.onnx"], MISSING, ["net.onnx/inner.onnx"])
    yield Command("a sound network", ["inspect", "net.onnx"], (0,), [])
    if os.geteuid() != 0:
        (folder / "locked.onnx").write_bytes(b"x")
        (folder / "locked.onnx").chmod(0)
        yield Command("no permission", ["inspect", "locked.onnx"], MISSING, ["locked.onnx"])


GROUPS = [arrays, archives, tables, image_folders, command_lines, missing_networks]
