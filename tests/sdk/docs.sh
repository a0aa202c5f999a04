#!/usr/bin/env bash
# docs.sh <repository>
# Checks that the pages of sdk/docs/services are generated from the current headers and docs/events.md from the manifests, that
# every function is documented, and that the check notices missing documentation.
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

# Every path in a document of the repository exists: targets of links, and words in backticks that begin with a top folder.
while IFS= read -r page; do
  folder=$(dirname "$page")
  for link in $(grep -oE '\]\([A-Za-z0-9_./-]+[)#]' "$page" | sed 's/^..//; s/.$//'); do
    [ -e "$folder/$link" ] || { echo "FAILED: ${page#"$repository"/} links to $link, which does not exist"; failed=1; }
  done
  for path in $(grep -oE '`(\.ci|apps|cmake|core|examples|plugins|sdk|tests)/[A-Za-z0-9_./-]+' "$page" | tr -d '`'); do
    [ -e "$repository/$path" ] || { echo "FAILED: ${page#"$repository"/} names $path, which does not exist"; failed=1; }
  done
done < <(find "$repository" -name build -prune -o -name node_modules -prune -o -name CHANGELOG.md -prune -o -path '*/sdk/templates' -prune -o -name '*.md' -print)

# A block of code that names a file of the repository is a part of that file, which is built and tested.
python3 - "$repository" <<'PYTHON' || failed=1
import pathlib, re, sys
root, wrong = pathlib.Path(sys.argv[1]), 0
for page in sorted((root / "sdk/docs").glob("*.md")):
    for name, code in re.findall(r"^```cpp (\S+/\S+)\n(.*?)^```$", page.read_text(), re.M | re.S):
        if code not in (root / name).read_text():
            print(f"FAILED: {page.name} shows code that is not in {name}:\n{code}")
            wrong = 1
sys.exit(wrong)
PYTHON

# caught MESSAGE HEADER SED-SCRIPT: the check fails with MESSAGE after SED-SCRIPT was applied to HEADER.
caught() {
  rm -rf "$work/include"
  cp -r "$repository/sdk/include" "$work/include"
  sed -i "$3" "$work/include/patchbay/$2"
  if cmp -s "$repository/sdk/include/patchbay/$2" "$work/include/patchbay/$2"; then
    echo "FAILED: $3 changes nothing in $2"
    failed=1
  elif python3 "$generate" --check --include "$work/include" > "$work/says"; then
    echo "FAILED: the check passes $2 after $3"
    failed=1
  elif ! grep -q -e "$1" "$work/says"; then
    echo "FAILED: for $2 after $3 the check does not say: $1"
    cat "$work/says"
    failed=1
  fi
}
caught "pb_bus.publish names no thread" abi/bus.h 's/\[any\] Copies/Copies/'
caught 'pb_bus.publish has no "Lifetime:"' abi/bus.h 's/Lifetime: arguments/Arguments/'
caught 'pb_store.seal has no "Since:"' abi/store.h 's/ Since: 0.1//'
caught "pb_media.port_create does not say what it does" abi/media.h 's,/\* \[any\] Registers a port.*,/* [any] */,'
caught 'Telephony has no line "Thread:"' services/telephony.h '/^\/\/ Calls, dial gates, answerers/,/^struct/ {/Thread:/d}'
caught "Leg.hangup does not say what it does" services/telephony.h '/CANCEL while ringing/d'
caught "services/whitelist.md is stale" services/whitelist.h 's/exactly one exec/precisely one exec/'

# The page of events is that of the manifests.
cp -r "$repository/plugins" "$work/plugins"
sed -i 's/A transcript is on disk/A transcript is saved/' "$work/plugins/transcripts/manifest.json"
if python3 "$generate" --check --plugins "$work/plugins" > "$work/says" || ! grep -q "events.md is stale" "$work/says"; then
  echo "FAILED: a changed summary of an event was not reported as a stale docs/events.md"
  cat "$work/says"
  failed=1
fi
exit $failed
