#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# clang-tidy on src/ and tools/, or on some files of theirs, two or more at once; usage: tidy.sh <build folder with
# compile_commands.json> [file...]
set -eu
cd "$(dirname "$0")/.."
build=${1:?build folder}
shift
if [ $# = 0 ]; then
  set -- "^$PWD/(src|tools)/.*\\.cpp\$"
fi
exec run-clang-tidy-22 -clang-tidy-binary clang-tidy-22 -quiet -p "$build" -j "$(nproc)" "$@"
