#!/usr/bin/env bash
# debs.sh <build folder> [--compile]
# Builds the Debian packages, installs them in a clean bookworm, serves there as the packages' user and, if systemd can boot on
# this machine, as the hardened unit; and purges them. --compile: also builds the example plugin there, with Debian's compiler
# and patchbay-dev (some minutes).
set -euo pipefail
build=$(realpath "$1") compile=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$build/tests/package
# shellcheck source=tests/package/bookworm.sh
source "$here/bookworm.sh"
# shellcheck source=tests/package/checks.sh
source "$here/checks.sh"

need_root
booted="" supervisor="" work=$(mktemp -d)
trap '[[ -z $supervisor ]] || power_off; rm -rf "$work"' EXIT
root=$work/root

step "packages"
cpack --config "$build/CPackConfig.cmake" -B "$work" > "$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; fail "cpack"; }
server=$(cd "$work" && ls patchbay_*.deb) dev=$(cd "$work" && ls patchbay-dev_*.deb)
mkdir -p "$cache/archives"
clean_bookworm "$root"
cp "$work/$server" "$work/$dev" "$root/root/"

step "install"
apt_install "$root" "/root/$server" "/root/$dev"
check_installed

step "serve without systemd"
export -f in_root child_named fail said wait_until
export cache root work
unshare --net bash "$here/serve_by_hand.sh"

step "the unit"
in_root "$root" systemd-analyze verify patchbay.service || fail "systemd-analyze verify"
in_root "$root" systemd-analyze security --offline=yes --threshold=15 --no-pager patchbay.service > "$work/security" ||
  { cat "$work/security"; fail "the unit is less confined than it was"; }

if [[ $compile == --compile ]]; then
  step "compile"
  check_compile
fi

step "boot"
if boot "$root"; then
  check_unit
  step "purge"
  inside apt-get purge -y patchbay patchbay-dev > "$work/purge" 2>&1 || { cat "$work/purge"; fail "purge"; }
  check_purged
  step "install again, and serve at once"
  inside dpkg -i "/root/$server" > "$work/again" 2>&1 || { cat "$work/again"; fail "dpkg -i"; }
  inside systemctl is-active --quiet patchbay || fail "the server was not started by its installation"
  first=$(inside systemctl show -P MainPID patchbay)
  inside dpkg -i "/root/$server" > "$work/again" 2>&1 || { cat "$work/again"; fail "dpkg -i over itself"; }
  restarted_since "$first" || fail "the server was not restarted by an upgrade"
  power_off
else
  echo "this machine does not let systemd boot: the unit was verified, not run"
  step "purge"
  in_root "$root" apt-get purge -y patchbay patchbay-dev > "$work/purge" 2>&1 || { cat "$work/purge"; fail "purge"; }
  check_purged
fi
supervisor=""
echo "done"
