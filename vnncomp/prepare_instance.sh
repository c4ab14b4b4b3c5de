#!/usr/bin/env bash
# prepare_instance.sh v1 CATEGORY ONNX VNNLIB: before each instance, not timed. Exit code 0: go on; 1: skip it.
# Nothing is prepared: files are read where they lie, compressed or not. It only looks whether they are there.
set -euo pipefail
if [[ $# -ne 4 || $1 != v1 ]]; then
  echo "usage: prepare_instance.sh v1 CATEGORY ONNX VNNLIB" >&2
  exit 64
fi
. "$(dirname "$0")/networks.sh"
split_networks "$3"
for file in "$plumb" "${networks[@]}" "$4"; do
  [[ $file == --network ]] && continue
  [[ -r $file || -r ${file#*=} ]] || { echo "prepare_instance.sh: $file is not there" >&2; exit 1; }
done
