// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// cl_khr_integer_dot_product. The sum of four products of bytes fits in an int; only the accumulator saturates.

#define DOT(R, A, B, R4, SUFFIX)                                                                          \
  R PURE dot(A a, B b) {                                                                                  \
    const R4 p = __builtin_convertvector(a, R4) * __builtin_convertvector(b, R4);                         \
    return (p.s0 + p.s1) + (p.s2 + p.s3);                                                                 \
  }                                                                                                       \
  R PURE dot_acc_sat(A a, B b, R c) { return __builtin_elementwise_add_sat(dot(a, b), c); }               \
  R PURE dot_4x8packed_##SUFFIX(uint a, uint b) { return dot(as_##A(a), as_##B(b)); }                     \
  R PURE dot_acc_sat_4x8packed_##SUFFIX(uint a, uint b, R c) { return dot_acc_sat(as_##A(a), as_##B(b), c); }

DOT(uint, uchar4, uchar4, uint4, uu_uint)
DOT(int, char4, char4, int4, ss_int)
DOT(int, uchar4, char4, int4, us_int)
DOT(int, char4, uchar4, int4, su_int)
