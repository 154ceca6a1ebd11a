#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What libclotho.so may bring into a process; usage: library.sh libclotho.so
set -eu
library=$1
fail() { echo "$*" >&2; exit 1; }

# No LLVM, and little else.
ldd "$library" | sed 's/^[[:space:]]*//; s/ .*//' | while read -r name; do
  case $name in
    linux-vdso.so.1|*/ld-linux-*|libc.so.6|libm.so.6|libstdc++.so.6|libgcc_s.so.1|libxxhash.so.0|libzstd.so.1) ;;
    *) fail "links $name" ;;
  esac
done
if ldd "$library" | grep -qiE 'llvm|clang'; then fail "links LLVM"; fi
if nm -DC --undefined-only "$library" | grep -E 'llvm|clang|LLVM'; then fail "wants symbols of LLVM"; fi
if ldd -r "$library" 2>&1 | grep 'undefined symbol'; then fail "symbols that no library has"; fi

# Exported: what loaders look up, alone.
exported=$(nm -D --defined-only --format=posix "$library" | sed 's/[ @].*//' | grep -v '^CLOTHO' | sort | tr '\n' ' ')
[ "$exported" = "clGetExtensionFunctionAddress clGetExtensionFunctionAddressForPlatform clGetPlatformInfo \
clIcdGetPlatformIDsKHR " ] || fail "exports: $exported"

# No constructor and no destructor but the compiler's own: what a library that holds nothing has, has ours. The order of
# the sections is that of the linker, so each is looked up by name.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 'int nothing(void) { return 0; }' > "$folder/nothing.c"
cc -shared -fPIC -o "$folder/nothing.so" "$folder/nothing.c"
arrays() { readelf -SW "$1" | sed -n 's/.* \.\([a-z_]*_array\|ctors\|dtors\) *[A-Z_]* *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\).*/\1 \2/p'; }
[ -n "$(arrays "$library")" ] || fail "the sections cannot be read"
[ "$(arrays "$library")" = "$(arrays "$folder/nothing.so")" ] ||
  fail "constructors and destructors: $(arrays "$library"), of nothing: $(arrays "$folder/nothing.so")"
# As long as it is not stripped it also tells their names.
if nm "$library" 2>/dev/null | grep -E '_GLOBAL__sub_I|__cxx_global_var_init|__tls_init|cpu_indicator_init'; then
  fail "has constructors"
fi
# The device of GPUs alone registers a handler, by on_exit: it leaves the driver before that one unloads.
if nm -D --undefined-only "$library" | grep -E ' (__cxa_atexit|__cxa_thread_atexit(_impl)?|atexit|at_quick_exit)(@|$)'; then
  fail "registers destructors"
fi

# Never unloaded; no text that the loader must change, no stack that is executable.
readelf -dW "$library" | grep -q NODELETE || fail "lacks NODELETE"
if readelf -dW "$library" | grep -q TEXTREL; then fail "has text relocations"; fi
readelf -lW "$library" | grep -q 'GNU_STACK.* RW ' || fail "wants an executable stack"
