// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// half_* of float may be off by 8192 ulp, but the full functions cost hardly more than less exact ones would.

#define ONE(NAME, AS_NAME, N)          \
  float##N PURE AS_NAME(float##N x);   \
  float##N PURE half_##NAME(float##N x) { return AS_NAME(x); }

#define WIDTH(N)                                                                                \
  ONE(cos, cos, N)                                                                              \
  ONE(sin, sin, N)                                                                              \
  ONE(tan, tan, N)                                                                              \
  ONE(exp, exp, N)                                                                              \
  ONE(exp2, exp2, N)                                                                            \
  ONE(exp10, exp10, N)                                                                          \
  ONE(log, log, N)                                                                              \
  ONE(log2, log2, N)                                                                            \
  ONE(log10, log10, N)                                                                          \
  ONE(sqrt, native_sqrt, N)                                                                     \
  ONE(rsqrt, native_rsqrt, N)                                                                   \
  ONE(recip, native_recip, N)                                                                   \
  float##N PURE half_divide(float##N x, float##N y) { return x / y; }                           \
  float##N PURE powr(float##N x, float##N y);                                                   \
  float##N PURE half_powr(float##N x, float##N y) { return powr(x, y); }

WIDTH()
WIDTH(2)
WIDTH(3)
WIDTH(4)
WIDTH(8)
WIDTH(16)
