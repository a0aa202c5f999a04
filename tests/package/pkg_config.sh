#!/usr/bin/env bash
# pkg_config.sh <build folder> <repository> <compiler in C++>
# Builds a plugin without CMake: the flags of patchbay.pc, and a manifest with `config`, embedded by the assembler.
set -euo pipefail
build=$1 repository=$2 cxx=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component sdk --prefix "$work/prefix" > "$work/says"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name patchbay.pc)")
pkg-config --exact-version="$(sed -nE 's/^project\(Patchbay VERSION ([0-9.]+).*/\1/p' "$repository/CMakeLists.txt")" patchbay
[[ $(realpath -m "$(pkg-config --variable=plugindir patchbay)") == "$work"/prefix/lib*/patchbay/plugins ]] ||
  { echo "plugindir is $(pkg-config --variable=plugindir patchbay)"; exit 1; }

example=$repository/examples/hello-plugin
printf '{"id": "hello-plugin", "version": "1.0.0", "config": %s}' "$(cat "$example/settings.schema.json")" > "$work/manifest.json"
cat > "$work/data.s" <<EOF
.section .patchbay_manifest, "a"
.globl the_manifest
the_manifest: .incbin "$work/manifest.json"
.globl the_store
the_store: .byte 0
.section .note.GNU-stack, "", @progbits
EOF
# shellcheck disable=SC2046
"$cxx" -std=c++17 -O1 -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror $(pkg-config --cflags patchbay) \
  -DPATCHBAY_PLUGIN_SYMBOL=patchbay_plugin_v1 -DPATCHBAY_MANIFEST_DATA=the_manifest \
  -DPATCHBAY_MANIFEST_SIZE="$(stat -c %s "$work/manifest.json")" \
  -DPATCHBAY_STORE_DATA=the_store -DPATCHBAY_STORE_SIZE=0 "$example/hello.cpp" "$work/data.s" -o "$work/hello-plugin.so"
"$build/bin/patchbay" plugin inspect "$work/hello-plugin.so" | grep '^hello-plugin 1.0.0'
