#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the pyopencl program twice with caches of its own: the second run is built from the binaries pyopencl kept.
# usage: pyopencl.sh <scratch folder>
set -eu
program=$(cd "$(dirname "$0")" && pwd)/pyopencl_program.py
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
export HOME=$folder XDG_CACHE_HOME=$folder/cache PYOPENCL_CTX=0 PYOPENCL_COMPILER_OUTPUT=0
unset PYOPENCL_NO_CACHE
for run in first second; do
  echo "$run run:"
  output=$(/usr/bin/python3 "$program" 2>&1) || { echo "$output"; exit 1; }
  echo "$output"
  grep -q '^all right$' <<<"$output"
done
find "$folder" -name binary | grep -q . || { echo "pyopencl kept no binaries"; exit 1; }
