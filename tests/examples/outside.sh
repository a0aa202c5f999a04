#!/usr/bin/env bash
# outside.sh <build folder> <repository> <compiler in C> <compiler in C++>
# Builds every example plugin outside of the repository with the installed SDK, without warnings, and checks that the file exports
# one symbol.
set -eu
build=$1 repository=$2 cc=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component sdk --prefix "$work/sdk" > "$work/says"
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(examples LANGUAGES C CXX)'
  for folder in "$repository"/examples/*/; do
    name=$(basename "$folder")
    case $name in first-call | embed-core) continue ;; esac
    cp -r "$folder" "$work/$name"
    echo "add_subdirectory($name)"
  done
} > "$work/CMakeLists.txt"
if ! { cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/sdk" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" &&
  cmake --build "$work/build" -j 2; } >> "$work/says" 2>&1; then
  cat "$work/says"
  exit 1
fi

# A C-only project needs no C++ compiler.
if ! cmake -S "$work/c-plugin" -B "$work/c-build" -DCMAKE_PREFIX_PATH="$work/sdk" -DCMAKE_CXX_COMPILER=/nowhere/c++ \
  >> "$work/says" 2>&1; then
  cat "$work/says"
  exit 1
fi

count=0
for plugin in "$work"/build/plugins/*.so; do
  symbols=$(nm -D --defined-only "$plugin" | awk '{print $3}')
  if [ "$symbols" != patchbay_plugin_v1 ]; then
    echo "$plugin exports, beside or instead of patchbay_plugin_v1: $symbols"
    exit 1
  fi
  count=$((count + 1))
done
[ "$count" -ge 7 ]
