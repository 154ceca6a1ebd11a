#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the library and its tests with sanitizers and runs them; usage: sanitized.sh asan|tsan <release build folder>
# Kernels are compiled by the release build's clotho-compiler: only code that lives in the application is sanitized.
set -eu
kind=${1:?asan or tsan}
release=$(cd "${2:?release build folder}" && pwd)
cd "$(dirname "$0")/.."
build=build/$kind
# Quick to compile, and with assertions.
cmake --preset "$kind" -DCLOTHO_RELEASE_DIR="$release" -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g1" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" >/dev/null
cmake --build "$build" --target clotho-sanitized-tests
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --timeout 600
