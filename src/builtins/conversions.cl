// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Saturating conversions from floating point to integers (OpenCL C 3.0, section 6.4.3.3). LLVM's intrinsic saturates
// and gives zero for NaN, which is all there is to do once the number is rounded; libclc's functions compare it with
// both limits as well. Clang has no name for the intrinsic of vectors.

#define SELF(x) (x)
#define RINT(x) __builtin_elementwise_rint(x)
#define CEIL(x) __builtin_elementwise_ceil(x)
#define FLOOR(x) __builtin_elementwise_floor(x)

#define MODE(T, F, N, NAME, ROUND, VIA)                                                   \
  T##N PURE convert_##T##N##_sat##NAME(F##N x) { return saturated_##T(ROUND(VIA)); }

// Halves are rounded as floats, which is exact.
#define MODES(T, F, N, VIA)                                                               \
  MODE(T, F, N, , SELF, VIA)                                                              \
  MODE(T, F, N, _rtz, SELF, VIA)                                                          \
  MODE(T, F, N, _rte, RINT, VIA)                                                          \
  MODE(T, F, N, _rtp, CEIL, VIA)                                                          \
  MODE(T, F, N, _rtn, FLOOR, VIA)

#define SCALAR(T, INTRINSIC, BITS)                                                        \
  T PURE saturated_##T(float x) __asm__("llvm." INTRINSIC ".sat.i" #BITS ".f32");         \
  T PURE saturated_##T(double x) __asm__("llvm." INTRINSIC ".sat.i" #BITS ".f64");        \
  MODES(T, float, , x)                                                                    \
  MODES(T, half, , (float)x)                                                              \
  MODES(T, double, , x)

#define VECTOR(T, INTRINSIC, BITS, N)                                                                        \
  T##N PURE saturated_##T(float##N x) __asm__("llvm." INTRINSIC ".sat.v" #N "i" #BITS ".v" #N "f32");        \
  T##N PURE saturated_##T(double##N x) __asm__("llvm." INTRINSIC ".sat.v" #N "i" #BITS ".v" #N "f64");       \
  MODES(T, float, N, x)                                                                                      \
  MODES(T, half, N, __builtin_convertvector(x, float##N))                                                    \
  MODES(T, double, N, x)

#define TO(T, INTRINSIC, BITS)                                                                      \
  SCALAR(T, INTRINSIC, BITS)                                                                        \
  VECTOR(T, INTRINSIC, BITS, 2)                                                                     \
  VECTOR(T, INTRINSIC, BITS, 3)                                                                     \
  VECTOR(T, INTRINSIC, BITS, 4)                                                                     \
  VECTOR(T, INTRINSIC, BITS, 8)                                                                     \
  VECTOR(T, INTRINSIC, BITS, 16)

TO(char, "fptosi", 8)
TO(uchar, "fptoui", 8)
TO(short, "fptosi", 16)
TO(ushort, "fptoui", 16)
TO(int, "fptosi", 32)
TO(uint, "fptoui", 32)
TO(long, "fptosi", 64)
TO(ulong, "fptoui", 64)
