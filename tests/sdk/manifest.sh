#!/usr/bin/env bash
# manifest.sh <repository>
# Checks that patchbay_add_plugin reports errors in a manifest's structure at configure time, and that `cmake --install` says
# what to build before it copies anything.
set -u
repository=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# judged MESSAGE MANIFEST: the manifest is refused with MESSAGE; "": it is accepted.
judged() {
  printf '%s' "$2" > "$work/manifest.json"
  cat > "$work/check.cmake" << END
cmake_minimum_required(VERSION 3.25)
include($repository/sdk/cmake/PatchbayPlugin.cmake)
_patchbay_check_manifest($work/manifest.json greeter)
END
  cmake -P "$work/check.cmake" > "$work/says" 2>&1
  local code=$?
  if [ -z "$1" ]; then [ $code -eq 0 ]; else [ $code -ne 0 ] && tr -s ' \n' ' ' < "$work/says" | grep -q -e "$1"; fi && return
  echo "FAILED: $2 is not judged: $1"
  cat "$work/says"
  failed=1
}
judged "" '{"id": "greeter", "version": "0.1.0", "summary": "a; b [c] \"d\"", "requires": ["patchbay.http/1"]}'
judged "it is not JSON" '{"id": "greeter", "version": '
judged "it is not JSON" ''
judged "it is not a JSON object" '["id"]'
judged "require is not a known field; known are id, version" '{"id": "greeter", "version": "0.1.0", "require": []}'
judged "version is required" '{"id": "greeter"}'
judged "version must be three numbers with dots" '{"id": "greeter", "version": "1"}'
judged "id is 'greter', but the plugin's target is 'greeter'" '{"id": "greter", "version": "0.1.0"}'

# A build folder in which nothing is built yet.
cat > "$work/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.25)
project(part C)
include($repository/cmake/Components.cmake)
file(WRITE \${CMAKE_BINARY_DIR}/part.c "int part;")
patchbay_component(sdk part)
install(FILES \${CMAKE_BINARY_DIR}/part.c DESTINATION include COMPONENT sdk)
add_library(part SHARED EXCLUDE_FROM_ALL \${CMAKE_BINARY_DIR}/part.c)
END
cmake -S "$work" -B "$work/build" > "$work/says" 2>&1 || { cat "$work/says"; exit 1; }
if cmake --install "$work/build" --component sdk --prefix "$work/prefix" > "$work/says" 2>&1; then
  echo "FAILED: an installation before the build succeeded"
  failed=1
elif ! tr -s ' \n' ' ' < "$work/says" | grep -q "build it first: cmake --build $work/build --target component-sdk"; then
  echo "FAILED: the error does not say what to build"
  cat "$work/says"
  failed=1
elif [ -e "$work/prefix" ]; then
  echo "FAILED: files were copied nevertheless"
  failed=1
fi
cmake --build "$work/build" --target component-sdk > "$work/says" 2>&1 &&
  cmake --install "$work/build" --component sdk --prefix "$work/prefix" >> "$work/says" 2>&1 || { cat "$work/says"; failed=1; }
[ -e "$work/prefix/include/part.c" ] || { echo "FAILED: nothing was installed"; failed=1; }
exit $failed
