# Sourced: clean Debian systems to install into, and systemd booted in one of them. Needs root, namespaces and, for packages
# that are not cached, network. $cache is kept between runs. All output goes to stdout.

skip() {
  echo "skipped: $1"
  exit 77
}

need_root() {
  [[ $(id -u) -eq 0 ]] || skip "only root can make a Debian to install into"
  unshare --mount --pid --net --fork true 2>/dev/null || skip "this machine does not allow namespaces"
  command -v debootstrap >/dev/null || skip "debootstrap is missing"
}

# The package source: by default that of this machine.
# shellcheck disable=SC2016
mirror=${PATCHBAY_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 2>/dev/null | sed -n 1p)}

need_network() {
  [[ -n $mirror ]] || skip "no bookworm among this machine's package sources; set PATCHBAY_DEBIAN_MIRROR"
  local host=${mirror#*://} port=80
  host=${host%%/*}
  [[ $mirror == https:* ]] && port=443
  [[ $host == *:* ]] && port=${host##*:}
  [[ -n ${http_proxy:-} ]] || timeout 20 bash -c "</dev/tcp/${host%%:*}/$port" 2>/dev/null || skip "no network to $host"
}

# clean_bookworm FOLDER: copies a minimal bookworm with systemd, which is bootstrapped once.
clean_bookworm() {
  local base=$cache/bookworm
  if [[ ! -e $base/made ]]; then
    need_network
    rm -rf "$base"
    mkdir -p "$base" "$cache/archives"
    echo "making a bookworm in $base"
    debootstrap --variant=minbase --include=ca-certificates,procps,systemd bookworm "$base/root" "$mirror" \
      > "$base/log" 2>&1 || { tail -20 "$base/log"; return 1; }
    touch "$base/made"
  fi
  cp -a "$base/root" "$1"
}

# apt_install ROOT PACKAGE...: downloads are kept in $cache.
apt_install() {
  local root=$1
  shift
  local log=$root/tmp/apt.log
  in_root "$root" apt-get install -y --no-install-recommends "$@" > "$log" 2>&1 && return
  need_network
  in_root "$root" apt-get update > "$log" 2>&1
  in_root "$root" apt-get install -y --no-install-recommends "$@" >> "$log" 2>&1 || { tail -20 "$log"; return 1; }
}

# in_root ROOT COMMAND...: runs a command in ROOT, with /proc; its mounts and processes end with it.
in_root() {
  local root=$1
  shift
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child=KILL bash -c '
    root=$1 archives=$2
    shift 2
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    mount --bind "$archives" "$root/var/cache/apt/archives"
    DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 exec chroot "$root" "$@"' - "$root" "$cache/archives" "$@"
}

# child_named NAME PID: prints the first process of that name in the chain of only children that begins with PID.
child_named() {
  local name=$1 pid=$2
  while [[ $(cat "/proc/$pid/comm") != "$name" ]]; do
    pid=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null) && pid=${pid%% *}
    [[ -n $pid ]] || return 1
  done
  echo "$pid"
}

# boot ROOT: runs systemd as the first process of new namespaces, including network. Sets $booted, for `inside`. Fails when this
# machine does not allow it.
boot() {
  local root=$1
  # shellcheck disable=SC2016
  unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child=KILL bash -ec '
    mount --make-rprivate /
    mount --bind "$1" "$1"
    mount -t proc proc "$1/proc"
    mount -t sysfs -o ro sysfs "$1/sys"
    mount -t cgroup2 cgroup2 "$1/sys/fs/cgroup"
    mount -t tmpfs -o mode=755 tmpfs "$1/run"
    mkdir "$1/run/outside"
    cd "$1"
    pivot_root . run/outside
    umount -l run/outside
    container=other exec /lib/systemd/systemd' - "$root" > "$root.boot" 2>&1 &
  supervisor=$!
  for _ in $(seq 300); do
    booted=$(cat "/proc/$supervisor/task/$supervisor/children" || true)
    booted=${booted%% *}
    [[ -n $booted && $(readlink "/proc/$booted/exe" || true) == */systemd ]] && break
    kill -0 "$supervisor" 2>/dev/null || { cat "$root.boot"; return 1; }
    sleep 0.1
  done
  for _ in $(seq 300); do
    case $(inside systemctl is-system-running 2>/dev/null || true) in
      running | degraded) return 0 ;;
    esac
    kill -0 "$supervisor" 2>/dev/null || { cat "$root.boot"; return 1; }
    sleep 0.1
  done
  inside systemctl list-jobs --no-pager || true
  return 1
}

inside() { nsenter --target "$booted" --all "$@"; }

power_off() {
  kill -KILL "$supervisor" 2>/dev/null || true
  wait "$supervisor" 2>/dev/null || true
}
