#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian's clpeak, unmodified: its arithmetic, bandwidth, transfer and latency parts; every figure must be above zero.
set -eu
output=$(clpeak --compute-sp --compute-dp --compute-integer --global-bandwidth --kernel-latency 2>&1)
echo "$output"
if grep -qiE 'error|fail|exception|Tests skipped' <<<"$output"; then exit 1; fi
# float to float16, double, int and bandwidth: five figures each; latency: one.
figures=$(sed -n 's/^ *\(float\|double\|int\)\(2\|4\|8\|16\|\) *: *\([0-9.]*\)$/\3/p' <<<"$output")
[ "$(wc -l <<<"$figures")" = 20 ] || { echo "20 figures expected: $figures"; exit 1; }
awk '$1 <= 0 { exit 1 }' <<<"$figures"
grep -qE 'Kernel launch latency : [0-9.]+ us' <<<"$output"
