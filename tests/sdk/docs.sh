#!/usr/bin/env bash
# docs.sh <repository>
# The pages of sdk/docs/services are what the headers say now, docs/events.md is what the manifests say, every function says what its caller has to know, and a
# header that does not is caught.
set -u
repository=$1
generate=$repository/sdk/docs/generate.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

python3 "$generate" --check || failed=1

# The table of compatibility.md has every id of the headers, and no other.
headers=$(grep -rhoE '(_ID |id\[\] = )"patchbay\.[a-z.]+/[0-9]+"' "$repository/sdk/include/patchbay/"{abi,services} | grep -oE 'patchbay\.[^"]+' | sort)
served=$(grep -oE '^\| `patchbay\.[a-z.]+/[0-9]+`' "$repository/sdk/docs/compatibility.md" | grep -oE 'patchbay\.[^`]+' | sort)
diff <(echo "$headers") <(echo "$served") || { echo "FAILED: the table of served ids is not that of the headers"; failed=1; }

# caught WHAT-IS-SAID HEADER SED-SCRIPT
caught() {
  rm -rf "$work/include"
  cp -r "$repository/sdk/include" "$work/include"
  sed -i "$3" "$work/include/patchbay/$2"
  if cmp -s "$repository/sdk/include/patchbay/$2" "$work/include/patchbay/$2"; then
    echo "FAILED: $2 has nothing for: $3"
    failed=1
  elif python3 "$generate" --check --include "$work/include" > "$work/says"; then
    echo "FAILED: $2 after $3 was taken"
    failed=1
  elif ! grep -q -e "$1" "$work/says"; then
    echo "FAILED: $2 after $3 is not said to be: $1"
    cat "$work/says"
    failed=1
  fi
}
caught "pb_bus.publish names no thread" abi/bus.h 's/\[any\] Copies/Copies/'
caught 'pb_bus.publish has no "Lifetime:"' abi/bus.h 's/Lifetime: what/What/'
caught 'pb_store.seal has no "Since:"' abi/store.h 's/ \* Since: 0.1/ */'
caught "pb_media.attach does not say what it does" abi/media.h 's,/\* \[any\] fn(user.*,/* [any] */,'
caught 'Telephony has no line "Thread:"' services/telephony.h '/^\/\/ Calls out, and/,/^struct/ {/Thread:/d}'
caught "Leg.hangup does not say what it does" services/telephony.h '/CANCEL while ringing/d'
caught "services/whitelist.md is stale" services/whitelist.h 's/exactly one exec/precisely one exec/'

# The page of events is that of the manifests.
cp -r "$repository/plugins" "$work/plugins"
sed -i 's/A transcript is on disk/A transcript is saved/' "$work/plugins/transcripts/manifest.json"
if python3 "$generate" --check --plugins "$work/plugins" > "$work/says" || ! grep -q "events.md is stale" "$work/says"; then
  echo "FAILED: an event's changed words are not said to make docs/events.md stale"
  cat "$work/says"
  failed=1
fi
exit $failed
