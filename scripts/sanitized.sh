#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the library and its tests with sanitizers and runs them.
# usage: sanitized.sh asan|tsan|checked <release build folder> [further arguments of ctest]
# Kernels are compiled by the release build's clotho-compiler, so that only code that lives in the application is sanitized;
# with `checked` by a compiler that is sanitized, too, and has asserts.
#
# Where output is kept, often only its end is: so the build and the tests that pass say nothing here, and what failing
# tests said comes last, without the lines of GoogleTest about cases that pass.
set -eu
kind=${1:?asan, tsan or checked}
release=$(cd "${2:?release build folder}" && pwd)
shift 2
cd "$(dirname "$0")/.."
build=build/$kind
mkdir -p "$build"
log=$build/sanitized-build.log results=$build/sanitized-tests.log

# Tools that are sanitized run in the build. LLVM, which they load, is not sanitized.
if [ "$kind" = checked ]; then
  export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0
fi

buildTests() {
  cmake --preset "$kind" -DCLOTHO_RELEASE_DIR="$release" &&
    cmake --build "$build" --target clotho-sanitized-tests
}
if ! buildTests >"$log" 2>&1; then
  tail -n 100 "$log"
  echo "sanitized.sh: the $kind build failed; $log has all that it said"
  exit 1
fi

if ctest --test-dir "$build" --parallel "$(nproc)" --timeout 600 "$@" >"$results" 2>&1; then
  grep -E 'tests passed|Total Test time' "$results"
  exit 0
fi
sed -n 's/^[0-9]*://p' "$build/Testing/Temporary/LastTestsFailed.log" | while read -r name; do
  printf '\n== %s\n' "$name"
  awk -v name="$name" '
    / Test: / && $3 == name { inside = 1 }
    inside && /^<end of output>/ { inside = 0 }
    inside && !/^\[ (RUN     |      OK |---------)/ && !/^\[(----------|==========)\]/' \
    "$build/Testing/Temporary/LastTest.log" | tail -n 60
done
printf '\n'
sed -n '/^[0-9]*% tests passed/,$p' "$results"
exit 1
