#!/usr/bin/env bash
# plugin_new.sh <build folder> <repository> <compiler in C> <compiler in C++>
# Builds what `patchbay plugin new` writes outside of the repository with the installed SDK and -Werror, by the steps of its
# ci.yml: its unit test and `plugin validate` pass. Then shows that the unit test can fail.
set -eu
build=$1 repository=$2 cc=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
patchbay=$build/bin/patchbay

run() {
  if ! "$@" > "$work/says" 2>&1; then
    cat "$work/says"
    exit 1
  fi
}
refused() { # <words> <arguments>...
  local words=$1
  shift
  if "$patchbay" plugin new "$@" > "$work/says" 2>&1 || ! grep -q "$words" "$work/says"; then
    echo "not refused with '$words': $*"
    cat "$work/says"
    exit 1
  fi
}

run cmake --install "$build" --component sdk --prefix "$work/sdk"
cd "$work"
run "$patchbay" plugin new call-meter
ci_step() { # <name>
  local command
  command=$(sed -n "/- name: $1\$/{n;s/^ *run: //p}" call-meter/.github/workflows/ci.yml)
  if [ -z "$command" ]; then
    echo "ci.yml has no step $1 of one line"
    exit 1
  fi
  run env -C call-meter CC="$cc" CXX="$cxx" CXXFLAGS=-Werror CMAKE_PREFIX_PATH="$work/sdk" PATH="$build/bin:$PATH" bash -ec "$command"
}
ci_step Build
ci_step Test
grep -q '100% tests passed, 0 tests failed out of 1' "$work/says"
ci_step Validate
grep -q 'checks passed' "$work/says"
if grep -rIn -e '%[A-Z]*%' -e "$repository" --exclude-dir=build call-meter; then
  echo "a template was not filled in"
  exit 1
fi

sed -i 's/++count_;/count_ += 2;/' call-meter/call-meter.cpp
run cmake --build call-meter/build
if ctest --test-dir call-meter/build > "$work/says" 2>&1; then
  echo "the unit test passes whatever the plugin does"
  exit 1
fi

refused "call-meter exists and is not empty" call-meter
refused "cannot be a plugin's name" Call_Meter
refused "is reserved by CMake" test
for manifest in "$repository"/plugins/*/manifest.json; do
  refused "is the name of one of Patchbay's plugins" "$(basename "$(dirname "$manifest")")"
done
refused "is the name of one of Patchbay's plugins" rest-api
