#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels that keep much do not end a process that may have little memory: in a control group of 700 MB, or with as much
# address space and more. usage: private_memory.sh group|addresses <program>
set -eu
what=$1 program=$2
case $what in
  group)
    mounted=$(sed -n 's/^[^ ]* [^ ]* [^ ]* \/ \([^ ]*\) .* - cgroup .*[ ,]memory\(,.*\)\?$/\1/p' /proc/self/mountinfo | head -1)
    unified=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -1)
    if [ -n "$mounted" ] && mkdir "$mounted/clotho-test-$$" 2>/dev/null; then
      folder=$mounted/clotho-test-$$ home=$mounted$(sed -n 's/^[0-9]*:\([a-z_,]*,\)\?memory\(,[a-z_,]*\)\?:\(.*\)/\3/p' /proc/self/cgroup)
      file=memory.limit_in_bytes
    elif [ -n "$unified" ] && grep -qw memory "$unified/cgroup.subtree_control" 2>/dev/null &&
      mkdir "$unified/clotho-test-$$" 2>/dev/null; then
      folder=$unified/clotho-test-$$ home=$unified$(sed -n 's/^0:://p' /proc/self/cgroup)
      file=memory.max
    else
      echo "no control group for memory can be made here" >&2
      exit 77
    fi
    # Whatever is in the group must leave before it can be removed.
    trap 'echo $$ > "$home/cgroup.procs" || true; sleep 0.3; rmdir "$folder"' EXIT
    echo 700000000 > "$folder/$file"
    (echo $BASHPID > "$folder/cgroup.procs" && exec "$program")
    ;;
  addresses) prlimit --as=2500000000 "$program" ;;
esac
