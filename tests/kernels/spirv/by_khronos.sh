#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPIR-V of a program by clang and Khronos's translator: by_khronos.sh <clang> <llvm-spirv> <source> <build options> <output>
# As compilers for SYCL and HIP call them, optimised before it becomes SPIR-V, with all extensions. Ends with 77 where one of
# the two cannot do it: they are older than OpenCL C 3.0's last functions, and the translator stops at some of LLVM's.
clang=$1 translator=$2 source=$3 options=$4 output=$5
. "$(dirname "$0")/clang_options.sh"
bitcode=$(mktemp)
trap 'rm -f "$bitcode"' EXIT
"$clang" -target spir64 -x "$language" "$std" -O2 -fno-strict-aliasing -Xclang -finclude-default-header -cl-ext=+all -w -emit-llvm \
  -c -o "$bitcode" "$@" "$source" || exit 77
"$translator" --spirv-ext=+all "$bitcode" -o "$output" || exit 77
