# Sourced by debs.sh: the checks in $root.

step() { echo "[$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))] $1"; }

fail() {
  echo "FAILED: $1"
  exit 1
}

# said PATTERN FILE
said() { grep -q -e "$1" "$2" || { cat "$2"; fail "nothing says: $1"; }; }

# wait_until WHAT COMMAND...: waits at most half a minute until the command succeeds.
wait_until() {
  local what=$1
  shift
  for _ in $(seq 300); do
    "$@" && return
    sleep 0.1
  done
  fail "in vain waited for: $what"
}

# owner_and_mode PATH WANTED
owner_and_mode() {
  local is
  is=$(in_root "$root" stat -c '%U:%G %a' "$1")
  [[ $is == "$2" ]] || fail "$1 is $is, not $2"
}

check_installed() {
  in_root "$root" dpkg --verify patchbay patchbay-dev || fail "dpkg --verify"
  owner_and_mode /etc/patchbay "root:patchbay 750"
  owner_and_mode /etc/patchbay/patchbay.yaml "root:patchbay 640"
  owner_and_mode /etc/patchbay/secrets "root:patchbay 750"
  owner_and_mode /var/lib/patchbay "patchbay:patchbay 700"
  in_root "$root" patchbay check > "$work/check" 2>&1 || { cat "$work/check"; fail "the shipped configuration"; }
  [[ $(cat "$work/check") == "/etc/patchbay/patchbay.yaml is fine" ]] || { cat "$work/check"; fail "check warns"; }
  local plugin
  for plugin in "$root"/usr/lib*/patchbay/plugins/*.so "$root"/usr/lib/*/patchbay/plugins/*.so; do
    [[ -e $plugin ]] || continue
    in_root "$root" patchbay plugin inspect "${plugin#"$root"}" > "$work/inspect" 2>&1 ||
      { cat "$work/inspect"; fail "$plugin cannot be inspected as it was stripped"; }
    said "^$(basename "$plugin" .so) " "$work/inspect"
    if readelf -S "$plugin" | grep -q '\.symtab'; then fail "$plugin is not stripped"; fi
  done
}

# In the booted system: the server runs, confined as the unit says.
check_unit() {
  inside systemctl is-active --quiet patchbay || { inside journalctl -u patchbay --no-pager; fail "the unit"; }
  local pid status=$work/status
  pid=$(inside systemctl show -P MainPID patchbay)
  inside cat "/proc/$pid/status" > "$status"
  said '^NoNewPrivs:.1$' "$status"
  said '^Seccomp:.2$' "$status"
  said '^CapBnd:.0000000000000000$' "$status"
  [[ $(inside stat -c %U "/proc/$pid") == patchbay ]] || fail "the server does not run as patchbay"
  inside cat "/proc/$pid/limits" > "$work/limits"
  said '^Max core file size *0 *0 ' "$work/limits"
  [[ $(inside systemctl show -P TasksMax patchbay) == 1024 ]] || fail "the unit's tasks have no limit"
  [[ $(inside systemctl show -P MemoryMax patchbay) =~ ^[0-9]+$ ]] || fail "the unit's memory has no limit"
  curl_inside http://127.0.0.1:9090/readyz > "$work/ready"
  said '"ready":true' "$work/ready"

  # As the configuration's first lines say.
  local key
  key=$(inside patchbay key new first | grep -o 'ak_[A-Za-z0-9_-]*' | head -1)
  curl_inside -H "Authorization: Bearer $key" http://localhost:8080/api.ashx/v1/transcripts > "$work/list"
  said '"total":0' "$work/list"
  inside systemctl reload patchbay
  wait_until "a reload" journal_says "read again and applied"
  inside systemctl kill --kill-whom=main --signal=KILL patchbay
  wait_until "a restart" restarted_since "$pid"
  wait_until "readiness after the restart" ready_inside
  check_isolated
  inside systemctl stop patchbay
  [[ $(inside systemctl show -P Result patchbay) == success ]] || fail "a stop is no success"
  inside systemctl start patchbay
}

# engine-local runs in a separate process, which is restarted when it was killed.
check_isolated() {
  local child
  child=$(inside pgrep -f patchbay-plugin-host | head -1)
  [[ -n $child ]] || fail "no plugin runs in a separate process"
  inside kill -SEGV "$child"
  wait_until "another process for the plugin" isolated_anew "$child"
  wait_until "readiness after a plugin's crash" ready_inside
}

isolated_anew() {
  local child
  child=$(inside pgrep -f patchbay-plugin-host | head -1)
  [[ -n $child && $child != "$1" ]]
}

curl_inside() { nsenter --target "$booted" --net curl --fail --silent --show-error --max-time 10 "$@"; }
ready_inside() { curl_inside http://127.0.0.1:9090/readyz 2>/dev/null | grep -q '"ready":true'; }
journal_says() { inside journalctl -u patchbay --no-pager | grep -q -e "$1"; }
restarted_since() {
  local pid
  pid=$(inside systemctl show -P MainPID patchbay)
  [[ $pid != 0 && $pid != "$1" ]]
}

check_purged() {
  local left
  left=$(find "$root" -xdev -iname '*patchbay*' ! -path "$root/root/*" ! -path "$root/var/cache/*" ! -path "$root/tmp/*")
  [[ -z $left ]] || fail "after the purge there is $left"
  if grep patchbay "$root/etc/passwd" "$root/etc/group"; then fail "the user outlived the purge"; fi
  if in_root "$root" dpkg -l 'patchbay*' 2>/dev/null | grep '^[a-z][a-z] '; then fail "dpkg still knows the packages"; fi
}

# Builds the example, and a new plugin with its unit test, in the clean system.
check_compile() {
  apt_install "$root" cmake g++ make doctest-dev
  cp -r "$here/../../examples/hello-plugin" "$root/root/hello"
  in_root "$root" bash -ec 'cd /root/hello && cmake -B build && cmake --build build && patchbay plugin inspect build/plugins/hello-plugin.so' \
    > "$work/compile" 2>&1 || { cat "$work/compile"; fail "the example does not build in a clean bookworm"; }
  said '^hello-plugin 1.0.0' "$work/compile"
  in_root "$root" bash -ec 'cd /root && patchbay plugin new meter && cd meter && cmake -B build && cmake --build build &&
    ctest --test-dir build --output-on-failure && patchbay plugin validate build/plugins/meter.so' > "$work/new" 2>&1 || { cat "$work/new"; fail "a new plugin does not pass its test and plugin validate"; }
}
