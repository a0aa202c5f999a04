# Run by debs.sh in a new network namespace: runs the server as the packages' user, without systemd.
set -euo pipefail
ip link set lo up
# shellcheck disable=SC2016
in_root "$root" bash -c '
  install -d -o patchbay -g patchbay /run/patchbay
  exec setpriv --reuid=patchbay --regid=patchbay --init-groups --inh-caps=-all patchbay serve' > "$work/serve" 2>&1 &
supervisor=$!
ready() {
  kill -0 "$supervisor" 2>/dev/null || { cat "$work/serve"; fail "the server ended"; }
  curl --fail --silent --max-time 5 http://127.0.0.1:9090/readyz > "$work/ready"
}
wait_until "/readyz" ready
said '"ready":true' "$work/ready"
for plugin in rest-api identity whitelist numbers media sip-trunk ai-voice engine-local engine-gemini transcripts webhooks; do
  said "\"$plugin\":\"running\"" "$work/ready"
done
for address in 127.0.0.1:8080 127.0.0.1:9090; do said "listens at tcp $address" "$work/serve"; done
if grep 'listens at' "$work/serve" | grep -v -e '127\.0\.0\.1:' -e /run/patchbay/admin.sock; then
  fail "the shipped configuration listens beyond loopback"
fi
kill -TERM "$(child_named patchbay "$supervisor")"
wait "$supervisor" || { cat "$work/serve"; fail "the server did not stop well"; }
