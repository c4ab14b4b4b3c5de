#!/usr/bin/env bash
# prepare_instance.sh v1 CATEGORY ONNX VNNLIB: before each instance, not timed. Exit code 0: go on; 1: skip it.
# Nothing is prepared: files are read where they lie, compressed or not. It only looks whether they are there.
set -euo pipefail
if [[ $# -ne 4 || $1 != v1 ]]; then
  echo "usage: prepare_instance.sh v1 CATEGORY ONNX VNNLIB" >&2
  exit 64
fi
plumb=$(dirname "$0")/../build/release/plumb
for file in "$plumb" "$3" "$4"; do
  [[ -r $file ]] || { echo "prepare_instance.sh: $file is not there" >&2; exit 1; }
done
