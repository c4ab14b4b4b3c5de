#!/usr/bin/env bash
# install_tool.sh v1: sets up what is missing and builds Plumb. Called once on the competition's machine.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} != v1 ]]; then
  echo "usage: install_tool.sh v1" >&2
  exit 64
fi
make build
