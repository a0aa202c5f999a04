#!/usr/bin/env bash
# headers.sh <compiler in C> <compiler in C++> <sdk/include>
# Compiles every header of the SDK alone, included twice: the boundary as C11 and C++17, the C++ layer as C++17; and all of them
# together as C++20, and as C++17 without exceptions and RTTI.
set -u
cc=$1 cxx=$2 include=$3
flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I "$include")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

check() { # <description> <command>...
  local what=$1
  shift
  if ! "$@" 2> "$work/says"; then
    echo "FAILED: $what"
    head -20 "$work/says"
    failed=1
  fi
}

cd "$include" || exit 1
for header in $(find patchbay -name '*.h' | sort); do
  printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$header" "$header" > "$work/unit.c"
  cp "$work/unit.c" "$work/unit.cpp"
  case $header in
    patchbay/abi/* | patchbay/abi.h | patchbay/c_plugin.h)
      check "$header in C11" "$cc" -std=c11 "${flags[@]}" "$work/unit.c"
      ;;
  esac
  check "$header in C++17" "$cxx" -std=c++17 "${flags[@]}" "$work/unit.cpp"
  printf '#include <%s>\n' "$header" >> "$work/all.cpp"
done
check "all headers in C++20" "$cxx" -std=c++20 "${flags[@]}" "$work/all.cpp"
check "all headers in C++17 without exceptions and RTTI" \
  "$cxx" -std=c++17 -fno-exceptions -fno-rtti "${flags[@]}" "$work/all.cpp"
exit $failed
