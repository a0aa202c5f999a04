#!/usr/bin/env bash
# package.sh <build folder> <repository> <compiler in C> <compiler in C++>
# As a plugin's author: installs the SDK, builds the example outside of the repository, and checks the file: one exported symbol,
# and a manifest that can be read without loading it.
set -eu
build=$1 repository=$2 cc=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component sdk --prefix "$work/sdk" > "$work/says"
cp -r "$repository/examples/hello-plugin" "$work/hello"
cmake -S "$work/hello" -B "$work/hello/build" -DCMAKE_PREFIX_PATH="$work/sdk" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >> "$work/says" 2>&1 || { cat "$work/says"; exit 1; }
cmake --build "$work/hello/build" >> "$work/says" 2>&1 || { cat "$work/says"; exit 1; }

# All links of the installed pages are valid.
docs=$work/sdk/share/doc/patchbay-dev
for page in $(cd "$docs" && find . -name '*.md'); do
  for link in $(grep -oE '\]\([A-Za-z0-9_./-]+[)#]' "$docs/$page" | sed 's/^..//; s/.$//'); do
    if [ ! -e "$docs/$(dirname "$page")/$link" ]; then
      echo "$page links to $link, which is not in the package"
      exit 1
    fi
  done
done

plugin=$work/hello/build/plugins/hello-plugin.so
symbols=$(nm -D --defined-only "$plugin" | awk '{print $3}')
if [ "$symbols" != patchbay_plugin_v1 ]; then
  echo "exported symbols other than patchbay_plugin_v1: $symbols"
  exit 1
fi
readelf -p .patchbay_manifest "$plugin" | grep -q '"id": "hello-plugin"'
if grep -rIn "$repository" "$work/sdk"; then
  echo "the package contains paths of the source tree"
  exit 1
fi
