// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C declarations of cl_khr_work_group_uniform_arithmetic, which needs OpenCL C 2.0. The extension is not claimed
// (docs/claims.tsv); programs that call its functions nevertheless find them.
// clang-format off
#if __OPENCL_C_VERSION__ >= 200
#define __collective(type, operation)                                                                                  \
  type __attribute__((overloadable, convergent)) work_group_reduce_##operation(type);                                  \
  type __attribute__((overloadable, convergent)) work_group_scan_inclusive_##operation(type);                          \
  type __attribute__((overloadable, convergent)) work_group_scan_exclusive_##operation(type);
__collective(int, logical_and) __collective(int, logical_or) __collective(int, logical_xor)

#define __bitwise(type) __collective(type, and) __collective(type, or) __collective(type, xor)
__bitwise(int) __bitwise(uint) __bitwise(long) __bitwise(ulong)

__collective(int, mul) __collective(uint, mul) __collective(long, mul) __collective(ulong, mul)
__collective(float, mul)
#ifdef cl_khr_fp64
__collective(double, mul)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__collective(half, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
#undef __collective
#undef __bitwise
#endif
