#!/usr/bin/env bash
# manifest.sh <repository>
# Checks that patchbay_add_plugin reports errors in the structure of a manifest and of its settings at configure time, embeds
# both as one manifest and notices changes of either, and that `cmake --install` says what to build before it copies anything.
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

# joined MESSAGE MANIFEST SETTINGS: joining them is refused with MESSAGE; "": it is not.
joined() {
  printf '%s' "$2" > "$work/manifest.json"
  printf '%s' "$3" > "$work/settings.schema.json"
  cat > "$work/check.cmake" << END
cmake_minimum_required(VERSION 3.25)
include($repository/sdk/cmake/PatchbayPlugin.cmake)
_patchbay_join_settings($work/manifest.json $work/settings.schema.json $work/joined.json)
END
  cmake -P "$work/check.cmake" > "$work/says" 2>&1
  local code=$?
  if [ -z "$1" ]; then [ $code -eq 0 ]; else [ $code -ne 0 ] && tr -s ' \n' ' ' < "$work/says" | grep -q -e "$1"; fi && return
  echo "FAILED: $2 with the settings $3 is not judged: $1"
  cat "$work/says"
  failed=1
}
id='{"id": "greeter"}'
joined "$work/settings.schema.json: it is not JSON" "$id" '{"plugin": '
joined "$work/settings.schema.json: it is not JSON" "$id" ''
joined "$work/settings.schema.json: it is not a JSON object" "$id" '["plugin"]'
joined "$work/settings.schema.json: it is not one JSON object" "$id" '[]'
joined "$work/settings.schema.json: it is not one JSON object" "$id" '{"plugin": {}} {}'
joined "$work/settings.schema.json: it is not one JSON object, or $work/manifest.json is not" "$id}" '{"plugin": {}}'
joined "$work/settings.schema.json: plugins is not a known field; known are plugin, tenant, WebPhone" "$id" '{"plugins": {}}'
joined "$work/manifest.json has a member config, and $work/settings.schema.json is given, too" '{"id": "greeter", "config": {}}' '{"plugin": {}}'

# same MANIFEST SETTINGS: the joined manifest has the members of both files as they stand there, in their order.
same() {
  joined "" "$(cat "$1")" "$(cat "$2")"
  python3 - "$1" "$2" "$work/joined.json" << 'END' || { echo "FAILED: $1 and $2 do not make $(cat "$work/joined.json")"; failed=1; }
import json, sys
manifest, settings, result = (json.load(open(name), object_pairs_hook=list) for name in sys.argv[1:])
sys.exit(result != manifest + [("config", settings)])
END
}
for settings in "$repository"/plugins/*/settings.schema.json; do
  same "$(dirname "$settings")/manifest.json" "$settings"
done
printf '{"id": "greeter", "summary": "a; b [c] \\"}\\" ${d} @e@ \\\\1 $<f> \303\244"}\n\n' > "$work/odd.json"
printf '\n{"WebPhone": {}, "plugin": {"z": "; ] \\"} \\" ${a} @b@ \\\\2 $<c> \342\202\254", "a": [1.0, 1e2]}}' > "$work/odd.schema.json"
same "$work/odd.json" "$work/odd.schema.json"

# A change of either file reaches the plugin with the next build.
mkdir "$work/greeter"
cat > "$work/greeter/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.25)
project(greeter C)
add_library(Patchbay::sdk INTERFACE IMPORTED)
include($repository/sdk/cmake/PatchbayPlugin.cmake)
patchbay_add_plugin(greeter SOURCES greeter.c MANIFEST manifest.json SETTINGS settings.schema.json)
END
echo 'int greeter;' > "$work/greeter/greeter.c"
echo '{"id": "greeter", "version": "0.1.0", "summary": "before"}' > "$work/greeter/manifest.json"
echo '{"plugin": {"description": "earlier"}}' > "$work/greeter/settings.schema.json"
# contains WORDS...: the plugin, built again, contains them.
contains() {
  cmake --build "$work/greeter/build" > "$work/says" 2>&1 || { cat "$work/says"; failed=1; }
  for word in "$@"; do
    grep -q "$word" "$work/greeter/build/plugins/greeter.so" || { echo "FAILED: the plugin does not contain $word"; failed=1; }
  done
}
cmake -S "$work/greeter" -B "$work/greeter/build" > "$work/says" 2>&1 || { cat "$work/says"; exit 1; }
contains '"before"' '"config": {"plugin": {"description": "earlier"}}'
sed -i 's/earlier/later/' "$work/greeter/settings.schema.json"
contains '"before"' '"later"'
sed -i 's/before/after/' "$work/greeter/manifest.json"
contains '"after"' '"later"'

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
