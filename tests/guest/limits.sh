#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compute units follow affinity mask, cgroup quota and thread limit; global memory follows the memory limit; and kernels run
# under each. usage: limits.sh affinity|quota|quota1|quota2|threads|threads_cgroup|memory|memory_cgroup <build folder>
set -eu
what=$1
build=$(cd "$2" && pwd)
report=$build/bin/guest-report
fail() { echo "$*" >&2; exit 1; }
read -r units memory < <("$report" --run)
echo "unlimited: $units units, $memory bytes"
[ "$units" -ge 1 ] || fail "no units"

# shellcheck source=tests/guest/namespace.sh
. "$(dirname "$0")/namespace.sh"
# Covers the cgroup tree by one with the given files ("name=contents"), version 1 or 2.
withCgroup() {
  local version=$1; shift
  inNamespace bash -eu -c '
    version=$1 report=$2; shift 2
    mount --make-rprivate /
    mount -t tmpfs none /sys/fs/cgroup
    tree=/sys/fs/cgroup
    if [ "$version" = 2 ]; then
      mkdir $tree/job
      base=$tree/job
      echo "0::/job" > $tree/self
      echo "30 20 0:26 / $tree rw,relatime shared:4 - cgroup2 cgroup2 rw" > $tree/mounts
    else
      mkdir -p $tree/cpu,cpuacct/job $tree/memory/job $tree/pids/job
      printf "4:memory:/job\n3:pids:/job\n2:cpu,cpuacct:/job\n" > $tree/self
      for controllers in cpu,cpuacct memory pids; do
        echo "31 20 0:27 / $tree/$controllers rw,relatime - cgroup cgroup rw,$controllers" >> $tree/mounts
      done
    fi
    for setting in "$@"; do
      name=${setting%%=*}
      case $version$name in
        1cpu*) base=$tree/cpu,cpuacct/job ;;
        1memory*) base=$tree/memory/job ;;
        1pids*) base=$tree/pids/job ;;
      esac
      echo "${setting#*=}" > "$base/$name"
    done
    # Of this process, which exec keeps.
    mount --bind $tree/self /proc/$$/cgroup
    mount --bind $tree/mounts /proc/$$/mountinfo
    exec "$report" --run' bash "$version" "$report" "$@"
}

case $what in
  quota1 | quota2 | threads_cgroup | memory_cgroup) needNamespace ;;
esac
case $what in
  affinity)
    first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
    read -r limited _ < <(taskset -c "$first" "$report" --run)
    [ "$limited" = 1 ] || fail "one processor allowed, $limited units"
    ;;
  quota)
    # A real control group, where one may be made: below this process's own (version 1), or at the top (version 2).
    group=$(sed -n 's/^[0-9]*:\([a-z_,]*,\)\?cpu\(,[a-z_,]*\)\?:\(.*\)/\3/p' /proc/self/cgroup)
    mounted=$(sed -n 's/^[^ ]* [^ ]* [^ ]* \/ \([^ ]*\) .* - cgroup .*[ ,]cpu\(,.*\)\?$/\1/p' /proc/self/mountinfo | head -1)
    unified=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -1)
    if [ -n "$mounted" ] && mkdir "$mounted${group%/}/clotho-test-$$" 2>/dev/null; then
      folder=$mounted${group%/}/clotho-test-$$ home=$mounted$group
      set_quota() { echo 100000 > "$folder/cpu.cfs_period_us" && echo "$1" > "$folder/cpu.cfs_quota_us"; }
    elif [ -n "$unified" ] && grep -qw cpu "$unified/cgroup.subtree_control" 2>/dev/null &&
      mkdir "$unified/clotho-test-$$" 2>/dev/null; then
      folder=$unified/clotho-test-$$ home=$unified$(sed -n 's/^0:://p' /proc/self/cgroup)
      set_quota() { echo "$1 100000" > "$folder/cpu.max"; }
    else
      echo "no control group can be made here: quota1 and quota2 show the same with files in a control group's place" >&2
      exit 77
    fi
    # Whatever is in the group must leave before it can be removed.
    trap 'echo $$ > "$home/cgroup.procs" || true; sleep 0.2; rmdir "$folder"' EXIT
    for quota in 100000 50000; do
      set_quota $quota || fail "the control group takes no quota"
      # The compiler's process ends with the one that started it; the group is empty soon after.
      read -r limited _ < <(echo $BASHPID > "$folder/cgroup.procs" && exec "$report" --run)
      [ "$limited" = 1 ] || fail "$quota of 100000: $limited units"
    done
    ;;
  quota1 | quota2)
    version=${what#quota}
    if [ "$version" = 2 ]; then one="cpu.max=100000 100000" half="cpu.max=50000 100000" none="cpu.max=max 100000"
    else one="cpu.cfs_quota_us=100000" half="cpu.cfs_quota_us=50000" none="cpu.cfs_quota_us=-1"; fi
    period=cpu.cfs_period_us=100000
    for quota in "$one" "$half"; do
      read -r limited _ < <(withCgroup "$version" "$quota" "$period")
      [ "$limited" = 1 ] || fail "$quota: $limited units"
    done
    read -r limited _ < <(withCgroup "$version" "$none" "$period")
    [ "$limited" = "$units" ] || fail "$none: $limited units, not $units"
    ;;
  threads_cgroup)
    read -r limited _ < <(withCgroup 2 "pids.max=20" "pids.current=19")
    [ "$limited" = 1 ] || fail "room for one more thread, $limited units"
    ;;
  threads)
    # The limit of a user. It is enforced for unprivileged users only, so the program runs as one that may read a copy of it.
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    chmod 755 "$folder"
    cp -r "$build/lib" "$build/bin/guest-report" "$folder"
    mkdir "$folder/bin"
    cp "$build/bin/clotho-compiler" "$folder/bin"
    echo "$folder/lib/libclotho.so" > "$folder/clotho.icd"
    export OCL_ICD_VENDORS=$folder/clotho.icd CLOTHO_CACHE=0
    if [ "$(id -u)" = 0 ]; then as="setpriv --reuid 64123 --regid 64123 --clear-groups"; used=0
    else as=; used=$(ps -L -u "$(id -u)" --no-headers | wc -l); fi
    read -r limited _ < <($as prlimit --nproc=$((used + 1)) "$folder/guest-report")
    [ "$limited" = 1 ] || fail "one thread allowed, $limited units"
    # Kernels run under a tight limit too: threads that cannot be made are done without.
    read -r limited _ < <($as prlimit --nproc=$((used + 8)) "$folder/guest-report" --run)
    echo "8 threads allowed: $limited units"
    ;;
  memory)
    limit=3000000000
    read -r _ limited < <(prlimit --as=$limit "$report" --run)
    [ "$limited" -lt "$limit" ] || fail "$limited bytes of global memory under a limit of $limit"
    [ "$limited" -gt 100000000 ] || fail "only $limited bytes"
    read -r _ limited < <(prlimit --data=$limit "$report" --run)
    [ "$limited" -lt "$limit" ] || fail "$limited bytes of global memory under a limit of $limit for data"
    [ "$limited" -gt 100000000 ] || fail "only $limited bytes under a limit for data"
    # As little as a program may reasonably be given: less than the driver likes to reserve.
    read -r _ limited < <(prlimit --as=400000000 "$report" --run)
    [ "$limited" -lt 400000000 ] || fail "$limited bytes of global memory under a limit of 400000000"
    ;;
  memory_cgroup)
    limit=1000000000
    for setting in "2 memory.max=$limit" "1 memory.limit_in_bytes=$limit"; do
      # shellcheck disable=SC2086 -- version and file
      read -r _ limited < <(withCgroup $setting)
      [ "$limited" -le "$limit" ] || fail "$setting: $limited bytes of global memory"
      [ "$limited" -gt 100000000 ] || fail "$setting: only $limited bytes"
    done
    ;;
  *) fail "unknown: $what" ;;
esac
