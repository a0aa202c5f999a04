#!/usr/bin/env bash
# exports.sh <folder>: each plugin in it exports its entry and nothing else, and needs no shared C++ library but the system's.
set -u
failed=0
for plugin in "$1"/*.so "$1"/*/*.so; do
  symbols=$(nm -D --defined-only "$plugin" | awk '{print $3}' | tr '\n' ' ')
  if [ "$symbols" != "patchbay_plugin_v1 " ]; then
    echo "$plugin exports: $symbols"
    failed=1
  fi
  case $plugin in
    */clang-libcxx.so | */clang-libcxx-bare.so | *-c11.so | */clang-libcxx/* | */clang-libcxx-bare/* | */c-plugin.so)
      if readelf -d "$plugin" | grep NEEDED | grep -E 'c\+\+'; then
        echo "$plugin needs a C++ library"
        failed=1
      fi
      ;;
  esac
done
exit $failed
