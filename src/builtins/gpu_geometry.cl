// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Geometric functions of vectors of float (OpenCL C 3.0, section 6.15.5) for NVIDIA GPUs (PreferGpuBuiltinsPass). Roots and quotients may
// have the errors of the GPU's instructions here; those in the library's functions are exact, and take a call each.

/// Computes the sum of squares, of a scaled vector where it would under- or overflow. The root times `back` is the length.
#define SUM_OF_SQUARES(x)                \
  float sum = dot(x, x), back = 1.0f;    \
  if (sum < 0x1p-100f) {                 \
    x *= 0x1p+86f;                       \
    back = 0x1p-86f;                     \
    sum = dot(x, x);                     \
  } else if (sum == INFINITY) {          \
    x *= 0x1p-66f;                       \
    back = 0x1p+66f;                     \
    sum = dot(x, x);                     \
  }

#define NAMED(TYPE, NAME, SYMBOL, ...) TYPE __attribute__((const)) NAME(__VA_ARGS__) __asm("clotho.gpu._Z" SYMBOL)

#define GEOMETRY(N, VECTOR)                                                                                 \
  float PURE dot(float##N x, float##N y);                                                                   \
  float##N PURE copysign(float##N x, float##N y);                                                           \
  NAMED(float, length##N, "6length" VECTOR, float##N x);                                                    \
  NAMED(float, distance##N, "8distance" VECTOR "S_", float##N x, float##N y);                               \
  NAMED(float##N, normalize##N, "9normalize" VECTOR, float##N x);                                           \
  NAMED(float, fastLength##N, "11fast_length" VECTOR, float##N x);                                          \
  NAMED(float, fastDistance##N, "13fast_distance" VECTOR "S_", float##N x, float##N y);                     \
  NAMED(float##N, fastNormalize##N, "14fast_normalize" VECTOR, float##N x);                                 \
  float length##N(float##N x) {                                                                             \
    SUM_OF_SQUARES(x)                                                                                       \
    return __builtin_elementwise_sqrt(sum) * back;                                                          \
  }                                                                                                         \
  float distance##N(float##N x, float##N y) { return length##N(x - y); }                                    \
  float##N normalize##N(float##N x) {                                                                       \
    SUM_OF_SQUARES(x)                                                                                       \
    (void)back; /* which changes no direction */                                                            \
    if (sum == 0.0f) return x;                                                                              \
    if (sum == INFINITY) {                                                                                  \
      const int##N isInfinite = __builtin_elementwise_abs(x) == INFINITY;                                   \
      x = copysign(__builtin_astype(isInfinite & __builtin_astype(1.0f, int), float##N), x);                \
      sum = dot(x, x);                                                                                      \
    }                                                                                                       \
    return x * (1.0f / __builtin_elementwise_sqrt(sum));                                                    \
  }                                                                                                         \
  float fastLength##N(float##N x) { return __builtin_elementwise_sqrt(dot(x, x)); }                         \
  float fastDistance##N(float##N x, float##N y) { return fastLength##N(x - y); }                            \
  float##N fastNormalize##N(float##N x) {                                                                   \
    const float sum = dot(x, x);                                                                            \
    return sum == 0.0f ? x : x * (1.0f / __builtin_elementwise_sqrt(sum));                                  \
  }

GEOMETRY(2, "Dv2_f")
GEOMETRY(3, "Dv3_f")
GEOMETRY(4, "Dv4_f")
