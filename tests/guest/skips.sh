#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests that cover files of the system are skipped with a reason, not failed, where nothing can be mounted: in a container
# without that right, and in a plain chroot, whose root folder is no mount point. usage: skips.sh <build folder>
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "$*" >&2; exit 1; }
if [ "$(id -u)" != 0 ]; then
  echo "skipped: only root can take rights away and change the root folder" >&2
  exit 77
fi

# Runs each such test by the given command in front of it.
expectSkips() {
  local how=$1; shift
  local test output status
  for test in "limits.sh quota1" "limits.sh quota2" "limits.sh threads_cgroup" "limits.sh memory_cgroup" "surroundings.sh no_tmp" \
              "surroundings.sh no_proc"; do
    status=0
    # shellcheck disable=SC2086 -- script and argument
    output=$("$@" "$here"/$test "$build" 2>&1) || status=$?
    [ "$status" = 77 ] || fail "$how: $test ends with $status: $output"
    grep -q '^skipped: .*unshare' <<<"$output" || fail "$how: $test does not say why it is skipped: $output"
    echo "$how: $test: $(grep '^skipped:' <<<"$output")"
  done
}

setpriv --bounding-set -sys_admin true || { echo "skipped: no rights can be taken away here" >&2; exit 77; }
expectSkips "without the right to mount" setpriv --bounding-set -sys_admin --inh-caps -sys_admin

# The root folder of the chroot is an ordinary one, into which everything that there is has been mounted.
# shellcheck source=tests/guest/namespace.sh
. "$here/namespace.sh"
needNamespace
export -f fail expectSkips
export here build
inNamespace bash -eu -c '
  root=$(mktemp -d)
  trap "umount -l $root; rmdir $root" EXIT
  mount --make-rprivate /
  mount -t tmpfs none "$root"
  mkdir "$root/root"
  for entry in /*; do
    if [ -L "$entry" ]; then cp -P "$entry" "$root/root$entry"
    elif [ -d "$entry" ] && [ "$entry" != /tmp ]; then mkdir "$root/root$entry" && mount --rbind "$entry" "$root/root$entry"
    fi
  done
  mkdir "$root/root/tmp"
  case $build in /tmp/*) mkdir -p "$root/root$build" && mount --bind "$build" "$root/root$build" ;; esac
  case $here in /tmp/*) mkdir -p "$root/root$here" && mount --bind "$here" "$root/root$here" ;; esac
  expectSkips "in a plain chroot" chroot "$root/root" env OCL_ICD_VENDORS="$OCL_ICD_VENDORS"'
