// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C declarations of cl_intel_bfloat16_conversions.
// clang-format off
#define __conversions(n)                                                                                               \
  ushort##n __attribute__((overloadable, const)) intel_convert_bfloat16##n##_as_ushort##n(float##n);                   \
  float##n __attribute__((overloadable, const)) intel_convert_as_bfloat16##n##_float##n(ushort##n);
__conversions() __conversions(2) __conversions(3) __conversions(4) __conversions(8) __conversions(16)
#undef __conversions
