#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# clang-tidy on src/, tools/, bench/ and tests/, or on some files of theirs, two or more at once; usage: tidy.sh <build folder with
# compile_commands.json> [file...]
# Clang's analyzer follows 40,000 steps of a function, which takes half of the time that its own limit does. With
# TIDY_STEPS=225000 it has that.
set -eu
cd "$(dirname "$0")/.."
build=${1:?build folder}
shift
if [ $# = 0 ]; then
  set -- "^$PWD/(src|tools|bench|tests)/.*\\.cpp\$"
fi
exec run-clang-tidy-22 -clang-tidy-binary clang-tidy-22 -quiet -p "$build" -j "$(nproc)" \
  -extra-arg=-Xclang -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg="max-nodes=${TIDY_STEPS:-40000}" "$@"
