#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An nvcc for tests without CUDA: what it makes names the kernels and has no code (tests/cuda/fake_modules.cpp).
while [ $# -gt 1 ]; do
  [ "$1" = -o ] && output=$2
  shift
done
sed -n 's/^kernel .*void \([a-z0-9_]*\)(.*/.entry \1/p' "$1" >"$output"
