#!/usr/bin/env python3
"""Times `plumb eval` against ONNX Runtime, one thread each, in one run.

    bench/eval.py [--plumb build/release/plumb] [--repetitions 5]

mnist_wk17a on the 10,000 MNIST test images and cifar_res_eps2 on 200 CIFAR-10 images, both from the shared folder
($PLUMB_SHARED, or ../shared beside the repository). Only the evaluation is timed: "seconds" in Plumb's JSON, and the
time of the calls of ONNX Runtime with the best of several batch sizes. Repetitions are interleaved, and the best of
each counts. Prints the seconds, the ratios, and whether these are within the targets: 2 in float32, 4 in double. Exit
code 77 if the shared folder is absent.
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
SHARED = pathlib.Path(os.environ.get("PLUMB_SHARED", REPOSITORY.parent / "shared"))
BATCHES = (1, 16, 100, 1000)
AIMS = {"float32": 2.0, "double": 4.0}


def mnist_images():
    content = gzip.decompress((SHARED / "data/mnist/t10k-images-idx3-ubyte.gz").read_bytes())
    return np.frombuffer(content, np.uint8, offset=16).reshape(-1, 1, 28, 28).astype(np.float32) / np.float32(255)


def cifar_images():
    content = gzip.decompress((SHARED / "data/cifar10-jpeg/test_batch.bin.gz").read_bytes())
    records = np.frombuffer(content, np.uint8).reshape(-1, 3073)
    return records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / np.float32(255)


def any_batch(model):
    """The model with a symbolic batch dimension. A Reshape that fixes the batch to 1 takes the dimension from its
    operand."""
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    model.graph.ClearField("value_info")
    targets = {node.input[1] for node in model.graph.node if node.op_type == "Reshape"}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.output[0] in targets:
            free_first_dimension(node.attribute[0].t)
    for tensor in model.graph.initializer:
        if tensor.name in targets:
            free_first_dimension(tensor)
    return model


def free_first_dimension(tensor):
    target = numpy_helper.to_array(tensor).copy()
    if target[0] == 1:
        target[0] = 0 if -1 in target else -1
        tensor.CopyFrom(numpy_helper.from_array(target, tensor.name))


def runtime_session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = any_batch(onnx.load(path))
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def runtime_seconds(session, images, batch):
    name = session.get_inputs()[0].name
    start = time.perf_counter()
    for first in range(0, len(images), batch):
        session.run(None, {name: images[first:first + batch]})
    return time.perf_counter() - start


def plumb_seconds(plumb, path, data, count, precision):
    command = [plumb, "eval", path, "--data", data, "--samples", f"0:{count}", "--precision", precision,
               "--threads", "1", "--json"]
    run = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{run.stderr}")
    return json.loads(run.stdout)["seconds"]


def measure(plumb, network, data, images, repetitions):
    """Prints the best time of each evaluator on one network."""
    path = SHARED / "networks" / f"{network}.onnx"
    session = runtime_session(path)
    batches = [b for b in BATCHES if b <= len(images)]
    best = {}
    for _ in range(repetitions):
        for batch in batches:
            seconds = runtime_seconds(session, images, batch)
            best[f"onnxruntime, batch {batch}"] = min(best.get(f"onnxruntime, batch {batch}", seconds), seconds)
        for precision in AIMS:
            seconds = plumb_seconds(plumb, path, data, len(images), precision)
            best[f"plumb {precision}"] = min(best.get(f"plumb {precision}", seconds), seconds)
    fastest = min(seconds for name, seconds in best.items() if name.startswith("onnxruntime"))
    print(f"{network}, {len(images)} samples, best of {repetitions}, one thread")
    for name, seconds in best.items():
        ratio = seconds / fastest
        aim = AIMS.get(name.removeprefix("plumb "))
        note = "" if aim is None else f"   {'within' if ratio <= aim else 'OUTSIDE'} {aim:g}x"
        print(f"  {name:<26}{seconds:9.3f} s{ratio:9.2f}x{note}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumb", default=REPOSITORY / "build/release/plumb", type=pathlib.Path)
    parser.add_argument("--repetitions", default=5, type=int)
    arguments = parser.parse_args()
    if not (SHARED / "networks").is_dir():
        print(f"skipped: there is no folder {SHARED} with networks; set PLUMB_SHARED to measure")
        return 77
    plumb = arguments.plumb.resolve(strict=True)
    data = SHARED / "data"
    measure(plumb, "mnist_wk17a", f"mnist:{data / 'mnist'}", mnist_images(), arguments.repetitions)
    measure(plumb, "cifar_res_eps2", f"cifar10:{data / 'cifar10-jpeg'}", cifar_images()[:200], arguments.repetitions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
