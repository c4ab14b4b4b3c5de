#!/usr/bin/env bash
# run_instance.sh v1 CATEGORY ONNX VNNLIB RESULTS TIMEOUT
#
# Writes RESULTS: sat, unsat, timeout, unknown or error on the first line, and the counterexample after sat. ONNX may be
# a list of networks as properties of several have them: [("f","f.onnx"),("g","g.onnx")]. Ends before TIMEOUT seconds by
# itself: plumb gets a little less, and is ended if a step of it cannot be interrupted in time. Its memory is limited to
# most of what is free, so that it fails, and is answered for here, before the machine does.
#
# PLUMB names another program, PLUMB_ENGINE another engine than auto; the competition sets neither.
# Plain bash as far as possible: each program that is started costs a few milliseconds of every instance.
set -euo pipefail
export LC_ALL=C  # numbers have points
if [[ $# -ne 6 || $1 != v1 ]]; then
  echo "usage: run_instance.sh v1 CATEGORY ONNX VNNLIB RESULTS TIMEOUT" >&2
  exit 64
fi
onnx=$3 vnnlib=$4 results=$5 timeout=$6
. "${BASH_SOURCE[0]%/*}/networks.sh"

# What stands here if nothing below gets to write.
echo timeout >"$results"

# A twentieth of the time, and at least half a second, for what is not interruptible; two fifths of that until plumb is
# ended, the rest for the system to take its memory back.
if ! printf -v whole '%.0f' "${timeout}e3" 2>/dev/null; then
  echo "run_instance.sh: '$timeout' is no number of seconds" >&2
  exit 64
fi
margin=$((whole / 20 > 500 ? whole / 20 : 500))
soft=$((whole > 2 * margin ? whole - margin : whole / 2))
hard=$((soft + (whole - soft) * 2 / 5))
printf -v soft '%d.%03d' $((soft / 1000)) $((soft % 1000))
printf -v hard '%d.%03d' $((hard / 1000)) $((hard % 1000))

# What is free, of the machine and of the container, in KiB.
while read -r key kib _; do
  [[ $key != MemAvailable: ]] || break
done </proc/meminfo
if [[ -r /sys/fs/cgroup/memory.max && -r /sys/fs/cgroup/memory.current ]]; then
  read -r most </sys/fs/cgroup/memory.max
  read -r used </sys/fs/cgroup/memory.current
  if [[ $most != max ]] && (((most - used) / 1024 < kib)); then kib=$(((most - used) / 1024)); fi
fi
kib=$((kib * 9 / 10))
set_already=$(ulimit -v)
if [[ $set_already != unlimited ]] && ((set_already < kib)); then kib=$set_already; fi
ulimit -v "$kib"
printf -v half_gib '%d.%03d' $((kib / 2097152)) $((kib % 2097152 * 1000 / 2097152))

# Foreground: plumb stays in this script's process group, so that what ends the one ends the other.
run() {
  split_networks "$onnx" || return 64
  timeout --foreground --signal=KILL "$hard" "$plumb" verify "${networks[0]}" "$vnnlib" "${networks[@]:1}" \
    --timeout "$soft" --memory "$half_gib" --engine "${PLUMB_ENGINE:-auto}" --result "$results"
}
code=0
run || code=$?
case $code in
  0 | 1 | 2 | 130) ;;
  137)
    echo "ended from outside: a step could not be interrupted in time, or memory ran out" >&2
    echo timeout >"$results"
    ;;
  *) echo error >"$results" ;;
esac
read -r answer <"$results"
echo "$answer"
