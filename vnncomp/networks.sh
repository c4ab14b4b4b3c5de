# networks.sh, for the other scripts: which program, and which networks an instance is about.
#
# plumb:    the program: what PLUMB names, or the release build.
# networks: the ONNX argument as plumb verify takes it, the first network alone, the others as --network NAME=FILE. It
#           is a file, or for properties of several networks a list: [("f","f.onnx"),("g","g.onnx")].
plumb=${PLUMB:-${BASH_SOURCE[0]%/*}/../build/release/plumb}

split_networks() {
  local rest=$1 pair="[(] *[\"']([^\"']+)[\"'] *, *[\"']([^\"']+)[\"'] *[)]"
  networks=("$1")
  [[ $1 == \[* ]] || return 0
  networks=()
  while [[ $rest =~ $pair ]]; do
    if ((${#networks[@]} == 0)); then networks=("${BASH_REMATCH[2]}")
    else networks+=(--network "${BASH_REMATCH[1]}=${BASH_REMATCH[2]}")
    fi
    rest=${rest#*"${BASH_REMATCH[0]}"}
  done
  ((${#networks[@]} > 0)) || { echo "$1 is neither a file nor a list of networks" >&2; return 1; }
}
