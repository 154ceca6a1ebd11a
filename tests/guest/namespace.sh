# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For scripts that change what the file system shows: sourced by them, not run.

# Runs a command in a private view of the file system, in which any file may be covered by another. Users other than root
# get one together with a user namespace, where the system allows these.
inNamespace() {
  if [ "$(id -u)" = 0 ]; then unshare -m "$@"; else unshare -r -m "$@"; fi
}

# Ends the test as skipped where there can be no such view: a container without the right to mount, or a plain chroot, whose
# root folder is no mount point.
needNamespace() {
  local message
  if ! message=$(inNamespace sh -c 'mount --make-rprivate / && mount -t tmpfs none /mnt' 2>&1); then
    echo "skipped: no private view of the file system can be made here: $message" >&2
    exit 77
  fi
}
