// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// native_* have the accuracy that the device chooses (OpenCL C 3.0, section 6.15.2). Exponentials and logarithms are the
// full functions, whose test for rare arguments costs no more than what could be left out; sine, cosine and tangent are
// in trigonometry_body.h.

#define WIDTH(N)                                                                                      \
  float##N PURE exp(float##N x);                                                                      \
  float##N PURE exp2(float##N x);                                                                     \
  float##N PURE exp10(float##N x);                                                                    \
  float##N PURE log(float##N x);                                                                      \
  float##N PURE log2(float##N x);                                                                     \
  float##N PURE log10(float##N x);                                                                    \
  float##N PURE sqrt(float##N x);                                                                     \
  float##N PURE native_exp(float##N x) { return exp(x); }                                             \
  float##N PURE native_exp2(float##N x) { return exp2(x); }                                           \
  float##N PURE native_exp10(float##N x) { return exp10(x); }                                         \
  float##N PURE native_log(float##N x) { return log(x); }                                             \
  float##N PURE native_log2(float##N x) { return log2(x); }                                           \
  float##N PURE native_log10(float##N x) { return log10(x); }                                         \
  float##N PURE native_powr(float##N x, float##N y) { return exp2(y * log2(x)); }                     \
  float##N PURE native_sqrt(float##N x) { return sqrt(x); }                                           \
  float##N PURE native_rsqrt(float##N x) { return 1.0f / sqrt(x); }                                   \
  float##N PURE native_recip(float##N x) { return 1.0f / x; }                                         \
  float##N PURE native_divide(float##N x, float##N y) { return x / y; }

WIDTH()
WIDTH(2)
WIDTH(3)
WIDTH(4)
WIDTH(8)
WIDTH(16)
