#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPIR-V of a program by clang's command line: by_clang.sh <clang> <source> <build options> <output>
# As a program's maker would call it, with clang's own headers and its usual optimisation.
clang=$1 source=$2 options=$3 output=$4
. "$(dirname "$0")/clang_options.sh"
extensions=
for name in EXT_relaxed_printf_string_address_space EXT_shader_atomic_float16_add EXT_shader_atomic_float_add EXT_shader_atomic_float_min_max INTEL_subgroups \
  KHR_bit_instructions KHR_expect_assume KHR_float_controls KHR_integer_dot_product KHR_linkonce_odr \
  KHR_no_integer_wrap_decoration KHR_shader_clock KHR_subgroup_rotate; do
  extensions=$extensions,+SPV_$name
done
exec "$clang" -target spirv64 -mllvm "--spirv-ext=${extensions#,}" -x "$language" "$std" -O2 -fno-strict-aliasing -w -c -o "$output" "$@" "$source"
