#!/usr/bin/env bash
# run_instance.sh v1 CATEGORY ONNX VNNLIB RESULTS TIMEOUT
#
# Writes RESULTS: sat, unsat, timeout, unknown or error on the first line, and the counterexample after sat. ONNX may be
# a list of networks as properties of several have them: [("f","f.onnx"),("g","g.onnx")]. Ends before TIMEOUT seconds by
# itself: plumb gets a little less, and is ended if a step of it cannot be interrupted in time. Its memory is limited to
# most of what is free, so that it fails, and is answered for here, before the machine does.
set -euo pipefail
if [[ $# -ne 6 || $1 != v1 ]]; then
  echo "usage: run_instance.sh v1 CATEGORY ONNX VNNLIB RESULTS TIMEOUT" >&2
  exit 64
fi
onnx=$3 vnnlib=$4 results=$5 timeout=$6
plumb=$(dirname "$0")/../build/release/plumb

# What stands here if nothing below gets to write.
echo timeout >"$results"

networks=("$onnx")
if [[ $onnx == \[* ]]; then
  mapfile -t names < <(grep -oE "[(]['\"][^'\"]+['\"], *['\"][^'\"]+['\"][)]" <<<"$onnx" | tr -d "()'\" ")
  networks=("${names[0]#*,}")
  for pair in "${names[@]:1}"; do networks+=(--network "${pair%%,*}=${pair#*,}"); done
fi

# A twentieth of the time, and at least half a second, for what is not interruptible.
limit=$(awk -v t="$timeout" 'BEGIN { m = t / 20; if (m < 0.5) m = 0.5; print (t > 2 * m) ? t - m : t / 2 }')
end=$(awk -v t="$timeout" 'BEGIN { print (t > 0.5) ? t - 0.2 : t }')
free_kib=$(awk '/^MemAvailable:/ { print int($2 * 0.9) }' /proc/meminfo)
half_gib=$(awk -v k="$free_kib" 'BEGIN { print k / 2097152 }')

ulimit -v "$free_kib"
code=0
timeout --signal=KILL "$end" "$plumb" verify "${networks[@]:0:1}" "$vnnlib" "${networks[@]:1}" --timeout "$limit" \
  --memory "$half_gib" --result "$results" || code=$?
case $code in
  0 | 1 | 2 | 130) ;;
  137) echo timeout >"$results" ;;
  *) echo error >"$results" ;;
esac
head -n 1 "$results"
