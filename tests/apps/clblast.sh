#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The CLBlast library's own test programs, unmodified: they compare each routine with the reference BLAS.
# usage: clblast.sh <routine>...
set -eu
for routine in "$@"; do
  output=$(clblast_test_"$routine" -platform 0 -device 0 2>&1) || { echo "$output"; exit 1; }
  summary=$(grep -E 'test\(s\) (passed|failed)|Unsupported precision' <<<"$output")
  printf '%s:\n%s\n' "$routine" "$summary"
  passed=$(sed -n 's/^ *\([0-9]*\) test(s) passed.*/\1/p' <<<"$output" | awk '{ n += $1 } END { print n + 0 }')
  failed=$(sed -n 's/^ *\([0-9]*\) test(s) failed.*/\1/p' <<<"$output" | awk '{ n += $1 } END { print n + 0 }')
  [ "$failed" = 0 ] || { echo "$output"; exit 1; }
  [ "$passed" -gt 20 ] || { echo "only $passed passed"; exit 1; }
  # A kernel that does not compile counts as skipped there; here it is a failure.
  if sed 's/\x1b\[[0-9;]*m//g' <<<"$output" | grep -E '^ +[:.X/\\o-]+$' | grep -qF '\'; then echo "a kernel did not compile"; exit 1; fi
done
