#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPIR-V of a program by clang and Khronos's translator: by_khronos.sh <clang> <llvm-spirv> <source> <build options> <output>
# As compilers for SYCL and HIP call them, optimised before it becomes SPIR-V, with all extensions. Ends with 77 where one of
# the two cannot do it: they are older than OpenCL C 3.0's last functions, and the translator stops at some of LLVM's.
clang=$1 translator=$2 source=$3 output=$5
std=-cl-std=CL1.2 language=cl
eval "set -- $(printf %s "$4" | sed 's/[()]/\\&/g')"
for option; do
  shift
  case $option in
    -clotho-*) continue ;;
    -cl-std=*) std=$option ;;
  esac
  case $option in
    -cl-std=CLC++*) language=clcpp ;;
  esac
  set -- "$@" "$option"
done
bitcode=$(mktemp)
trap 'rm -f "$bitcode"' EXIT
"$clang" -target spir64 -x "$language" "$std" -O2 -fno-strict-aliasing -Xclang -finclude-default-header -cl-ext=+all -w -emit-llvm \
  -c -o "$bitcode" "$@" "$source" || exit 77
"$translator" --spirv-ext=+all "$bitcode" -o "$output" || exit 77
