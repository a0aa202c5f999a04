#!/usr/bin/env bash
# embed.sh <build folder> <repository> <compiler in C++> [--tree]
# Builds examples/embed-core with the installed core, or (--tree, some minutes) with the core as a part of its build, and checks that
# its plugins receive each other's events, and that SIGTERM stops it.
set -euo pipefail
build=$1 repository=$2 cxx=$3 how=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ $how == --tree ]]; then
  options=(-DPATCHBAY_TREE="$repository")
else
  for component in sdk core; do
    cmake --install "$build" --component $component --prefix "$work/prefix" >> "$work/says"
  done
  if grep -rIn "$repository" "$work/prefix"; then
    echo "the package names the tree it came from"
    exit 1
  fi
  options=(-DCMAKE_PREFIX_PATH="$work/prefix")
fi
if ! { cmake -S "$repository/examples/embed-core" -B "$work/build" -DCMAKE_CXX_COMPILER="$cxx" "${options[@]}" &&
  cmake --build "$work/build" -j "$(nproc)" --target embed-core; } >> "$work/says" 2>&1; then
  tail -40 "$work/says"
  exit 1
fi

program=$(find "$work/build" -name embed-core -type f -executable)
mkfifo "$work/pipe"
cd "$work"
"$program" > "$work/pipe" &
exec 3< "$work/pipe"
read -r -t 30 line <&3 || { echo "the program says nothing"; exit 1; }
[[ $line == 'door bell {"count":1}' ]] || { echo "said: $line"; exit 1; }
kill -TERM $!
wait $!
