#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian's hashcat, unmodified: finds the password behind a known MD5 and a known SHA-256 hash, after its own self-test.
# usage: hashcat.sh <scratch folder>
set -eu
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export HOME=$folder XDG_DATA_HOME=$folder/data XDG_CACHE_HOME=$folder/cache
unset XDG_RUNTIME_DIR
crack() { # mode, hash, mask, password
  output=$(hashcat -m "$1" -a 3 -O -D 1,2 --force --potfile-disable --logfile-disable --session clotho "$2" "$3" 2>&1 </dev/null) || {
    echo "$output"; exit 1; }
  echo "$output"
  grep -q 'Status\.*: Cracked' <<<"$output"
  grep -q "$2:$4\$" <<<"$output"
  if grep -qiE 'self-test failed|clBuildProgram|CL_[A-Z_]*(ERROR|INVALID|FAILURE)' <<<"$output"; then exit 1; fi
}
crack 0 "$(printf 'weave7' | md5sum | cut -d' ' -f1)" 'weav?l?d' weave7
crack 1400 "$(printf '48213' | sha256sum | cut -d' ' -f1)" '?d?d?d?d?d' 48213
