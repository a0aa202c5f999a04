#!/usr/bin/env bash
# plugin_new.sh <build folder> <repository> <compiler in C> <compiler in C++>
# What `patchbay plugin new` writes is built far from the tree with the installed SDK, without a warning, and its unit test
# passes; then the test is shown to be able to fail.
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
run cmake -S call-meter -B call-meter/build -G Ninja -DCMAKE_PREFIX_PATH="$work/sdk" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS=-Werror
run cmake --build call-meter/build
run ctest --test-dir call-meter/build --output-on-failure
grep -q '100% tests passed, 0 tests failed out of 1' "$work/says"
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

refused "call-meter is there already" call-meter
refused "cannot be a plugin's name" Call_Meter
refused "is a word of CMake's" test
