#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# clang-format on every C and C++ file of ours: --write changes them, --check names what would change and fails.
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in
  --write) options=-i ;;
  --check) options="--dry-run -Werror" ;;
  *) echo "usage: $0 --write | --check" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086 -- two options
find src tools tests examples bench \( -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h' \) -type f -print0 |
  xargs -0 clang-format-22 --style=file $options
