#!/usr/bin/env bash
# other_library.sh <clang++> <sdk/include> <folder of libpatchbay-testing.so> <plugin> <libc++>
# The fake host has a standard library of its own: a test built with libc++, shared or static, runs a plugin built with
# libstdc++ in it, and the library shows one symbol.
set -eu
cxx=$1 include=$2 lib=$3 plugin=$4 libcxx=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

symbols=$(nm -D --defined-only "$lib/libpatchbay-testing.so" | awk '{print $3}')
if [ "$symbols" != patchbay_testing_v1 ]; then
  echo "exported, beside or instead of patchbay_testing_v1: $symbols"
  exit 1
fi
if readelf -d "$lib/libpatchbay-testing.so" | grep -E 'NEEDED.*(libstdc\+\+|libc\+\+|yaml|boost|spdlog|fmt)'; then
  echo "the library needs what it should bring or do without"
  exit 1
fi
for linked in -shared-libgcc -static-libstdc++; do
  "$cxx" -std=c++17 -stdlib++-isystem "$libcxx/include/c++/v1" -fno-exceptions -fno-rtti -Wall -Wextra -Werror -I "$include" \
    "$(dirname "$0")/other_library.cpp" -o "$work/test" -stdlib=libc++ -L "$libcxx/lib" \
    -Wl,-rpath,"$libcxx/lib" $linked -L "$lib" -lpatchbay-testing -Wl,-rpath,"$lib"
  "$work/test" "$plugin"
done
