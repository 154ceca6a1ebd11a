#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An nvcc for tests without CUDA: what it makes has the kernels, which do nothing, in PTX (tests/cuda/fake_modules.cpp).
if [ "$1" = --version ]; then
  echo "${NAMES_ONLY_VERSION:-1}"
  exit
fi
while [ $# -gt 1 ]; do
  [ "$1" = -o ] && output=$2
  shift
done
{
  echo "// ${NAMES_ONLY_VERSION:-1}"
  printf '.version 7.8\n.target sm_90\n.address_size 64\n'
  sed -n 's/^kernel .*void \([a-z0-9_]*\)(.*/.visible .entry \1()\n{\nret;\n}/p' "$1"
} >"$output"
