#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# clang-tidy on src/, two or more files at once; usage: tidy.sh <build folder with compile_commands.json>
set -eu
cd "$(dirname "$0")/.."
build=${1:?build folder}
exec run-clang-tidy-22 -clang-tidy-binary clang-tidy-22 -quiet -p "$build" -j "$(nproc)" "^$PWD/src/.*\\.cpp\$"
