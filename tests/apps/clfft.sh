#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The clFFT library's own client, unmodified: transforms of several shapes, whose results it checks.
set -eu
folder=$1
mkdir -p "$folder"
cd "$folder"
transform() {
  output=$(clFFT-client "$@" 2>&1) || { echo "clFFT-client $*: $output"; exit 1; }
  echo "clFFT-client $*: $output"
  if grep -qiE 'fail|error|exception|terminate' <<<"$output"; then exit 1; fi
  grep -qiE 'pass' <<<"$output"
}
transform -x 1024
transform -x 4096 -b 3 -o
transform -x 64 -y 32
transform -x 16 -y 16 -z 16
transform -x 128 --double
transform -x 27 --double
transform -x 256 --inv
