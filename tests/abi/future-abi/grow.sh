#!/usr/bin/env bash
# grow.sh <sdk/include> <folder>
# Copies the SDK's headers and appends a function to pb_bus, as a later SDK may.
set -eu
rm -rf "$2"
mkdir -p "$2"
cp -r "$1/patchbay" "$2/"
bus=$2/patchbay/abi/bus.h
sed -i -E 's/^\} pb_bus;/  int32_t (*flush)(void* host) PB_NOEXCEPT;\n&/' "$bus"
grep -q flush "$bus"
