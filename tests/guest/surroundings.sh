#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels build and run without things that most processes have; usage:
# surroundings.sh no_home|no_tmp|no_proc|no_working_directory|closed_streams|no_environment <build folder>
set -eu
what=$1
build=$(cd "$2" && pwd)
report=$build/bin/guest-report
unset CLOTHO_CACHE_DIR XDG_CACHE_HOME
case $what in
  no_home)
    env -u HOME "$report" --run
    HOME=/nonexistent "$report" --run
    HOME='' "$report" --run
    ;;
  no_tmp)
    # /tmp, /var/tmp and /dev/shm read-only and empty, in a private view of the file system. The build may itself lie in /tmp,
    # so it is seen through another path.
    # shellcheck source=tests/guest/namespace.sh
    . "$(dirname "$0")/namespace.sh"
    needNamespace
    inNamespace bash -eu -c '
      build=$1
      mount --make-rprivate /
      mount -t tmpfs none /mnt
      mkdir /mnt/build
      mount --bind "$build" /mnt/build
      echo /mnt/build/lib/libclotho.so > /mnt/clotho.icd
      for folder in /tmp /var/tmp /dev/shm; do
        [ -d "$folder" ] && mount -t tmpfs -o ro none "$folder"
        if touch "$folder/probe" 2>/dev/null; then echo "$folder is still writable" >&2; exit 1; fi
      done
      cd /
      export OCL_ICD_VENDORS=/mnt/clotho.icd
      for cache in 0 1; do HOME=/nonexistent CLOTHO_CACHE=$cache /mnt/build/bin/guest-report --run; done' bash "$build"
    ;;
  no_proc)
    # An empty folder over /proc, as in a chroot where nobody has mounted it: nothing can be loaded by way of a descriptor. Only
    # kernels that have been built before run there; the compiler process needs /proc. Where no file of /dev/shm may be
    # executed, another folder serves.
    # shellcheck source=tests/guest/namespace.sh
    . "$(dirname "$0")/namespace.sh"
    needNamespace
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
    export CLOTHO_CACHE_DIR=$cache
    "$report" --run-known
    inNamespace bash -eu -c '
      report=$1
      mount --make-rprivate /
      mount -t tmpfs none /proc
      if [ -e /proc/self ]; then echo "/proc is still there" >&2; exit 1; fi
      "$report" --run-known
      mount -t tmpfs -o noexec none /dev/shm
      "$report" --run-known' bash "$report"
    ;;
  no_working_directory)
    folder=$(mktemp -d)
    cd "$folder"
    rmdir "$folder"
    "$report" --run
    ;;
  closed_streams)
    "$report" --run <&-
    "$report" --run >&- 2>&- <&- || { [ $? = 1 ] && echo "failed with closed streams"; exit 1; }
    ;;
  no_environment)
    env -i OCL_ICD_VENDORS="$OCL_ICD_VENDORS" "$report" --run
    ;;
  *) echo "unknown: $what" >&2; exit 2 ;;
esac
