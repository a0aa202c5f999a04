#!/usr/bin/env bash
# broken_headers.sh <boundary tool> <compiler in C> <compiler in C++> <sdk/include> <golden file>
# Checks that the headers match the record of the boundary, and that incompatible changes are noticed: by the headers' text, and
# by each compiler (the witness). Each error names the member.
set -u
tool=$1 cc=$2 cxx=$3 include=$4 golden=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
"$tool" witness "$golden" > "$work/witness.c" || exit 1
cp "$work/witness.c" "$work/witness.cpp"

fail() {
  echo "FAILED: $1"
  head -20 "$work/says"
  failed=1
}
in_c() { "$cc" -std=c11 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$1" "$work/witness.c" > "$work/says" 2>&1; }
in_cxx() { "$cxx" -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$1" "$work/witness.cpp" > "$work/says" 2>&1; }
by_text() { "$tool" check "$1/patchbay/abi" "$golden" > "$work/says" 2>&1; }

for check in by_text in_c in_cxx; do
  $check "$include" || fail "$check: the headers do not match the record"
done

broken() { # <description> <header> <sed expression> <expected message>
  rm -rf "$work/include"
  cp -r "$include" "$work/include"
  sed -i -E "$3" "$work/include/patchbay/abi/$2"
  if cmp -s "$include/patchbay/abi/$2" "$work/include/patchbay/abi/$2"; then
    fail "$1: the edit changed nothing"
    return
  fi
  for check in by_text in_c in_cxx; do
    if $check "$work/include"; then
      fail "$1: $check does not notice"
    elif ! grep -qE "$4" "$work/says"; then
      fail "$1: $check does not say '$4'"
    fi
  done
}

broken "an inserted member" bus.h 's/(  int32_t \(\*publish\))/  void (*flush)(void* host) PB_NOEXCEPT;\n\1/' \
  'pb_bus\.publish has moved'
broken "a removed slot" services.h '/\(\*unlease\)/d' 'pb_services\.unlease is gone|no member named .unlease'
broken "a changed type of an argument" runtime.h 's/(\(\*now\)\(void\* host, )uint32_t/\1int32_t/' \
  'pb_runtime\.now has changed'
broken "a changed type of a result" store.h 's/int64_t \(\*epoch\)/uint64_t (*epoch)/' 'pb_store\.epoch has changed'
broken "two slots in another order" media.h 's/\(\*port_open\)/(*port_swap)/; s/\(\*attach\)/(*port_open)/; s/\(\*port_swap\)/(*attach)/' \
  'pb_media\.(attach|port_open) has (moved|changed)'
broken "a changed type of a callback" base.h 's/(\(\*pb_fn\)\(void\* user)\)/\1, uint64_t why)/' 'pb_fn has changed'
broken "a wider member" bus.h 's/uint32_t queue_max/uint64_t queue_max/' 'pb_subscription\.(queue_max has changed|policy has moved)'
broken "another value of a status" base.h 's/PB_E_GONE \(-13\)/PB_E_GONE (-14)/' 'PB_E_GONE has changed'
broken "a raised floor" json.h 's/PB_JSON_FLOOR 136u/PB_JSON_FLOOR 144u/' 'PB_JSON_FLOOR has changed'

# Appending a member is compatible.
rm -rf "$work/include"
cp -r "$include" "$work/include"
sed -i -E 's/^\} pb_bus;/  int32_t (*flush)(void* host) PB_NOEXCEPT;\n&/' "$work/include/patchbay/abi/bus.h"
for check in by_text in_c in_cxx; do
  $check "$work/include" || fail "an appended member: $check reports it as incompatible"
done
exit $failed
