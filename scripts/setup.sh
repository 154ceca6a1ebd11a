#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what packages.txt lists. A stamp keyed on the list makes later runs cost nothing, and apt is asked only when
# something is missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
list=$root/packages.txt
stamp=$root/build/setup-$(cksum <"$list" | cut -d' ' -f1)
[ -e "$stamp" ] && exit 0

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: this is no Debian system; install what packages.txt lists in your system's own way, then: mkdir -p build && touch '$stamp'" >&2
  exit 1
fi

packages=$(sed -e 's/#.*//' "$list" | tr -s ' \t\n' '\n')
missing=
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done

if [ -n "$missing" ]; then
  asRoot=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run as root or install sudo; missing:$missing" >&2; exit 1; }
    asRoot="sudo --preserve-env=DEBIAN_FRONTEND"
  fi
  export DEBIAN_FRONTEND=noninteractive
  echo "setup: installing$missing"
  $asRoot apt-get update -q
  # shellcheck disable=SC2086 -- a list of package names
  $asRoot apt-get install -q -y --no-install-recommends $missing
fi
mkdir -p "$root/build"
touch "$stamp"
