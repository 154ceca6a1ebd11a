// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Mathematical, common and geometric functions of half (OpenCL C 3.0, sections 6.15.2, 6.15.4 and 6.15.5). Most are those
// of float, rounded: a float has 13 bits more, so the result is within 0.51 ulp where float's is within 32, and no half
// is denormal as a float. What is exact or rounds once is computed with half, which code generation knows how to do.

#define HALF EACH_WIDTH_JOIN(half, N)
#define SHORT EACH_WIDTH_JOIN(short, N)
#define USHORT EACH_WIDTH_JOIN(ushort, N)
#define H(c) ((HALF)(c))
#define TO_FLOAT(x) CONVERT(x, FLOAT)
#define TO_HALF(x) CONVERT(x, HALF)

#define BODY "half_math_body.h"
#include "each_width.h"

// A vector by scalars.
#define MIXED(N)                                                                                              \
  half##N PURE ldexp(half##N x, int k) { return ldexp(x, (int##N)(k)); }                                      \
  half##N PURE max(half##N x, half y) { return max(x, (half##N)(y)); }                                        \
  half##N PURE min(half##N x, half y) { return min(x, (half##N)(y)); }                                        \
  half##N PURE fmax(half##N x, half y) { return fmax(x, (half##N)(y)); }                                      \
  half##N PURE fmin(half##N x, half y) { return fmin(x, (half##N)(y)); }                                      \
  half##N PURE clamp(half##N x, half low, half high) { return clamp(x, (half##N)(low), (half##N)(high)); }    \
  half##N PURE mix(half##N x, half##N y, half a) { return mix(x, y, (half##N)(a)); }                          \
  half##N PURE step(half edge, half##N x) { return step((half##N)(edge), x); }                                \
  half##N PURE smoothstep(half low, half high, half##N x) { return smoothstep((half##N)(low), (half##N)(high), x); }

MIXED(2)
MIXED(3)
MIXED(4)
MIXED(8)
MIXED(16)

// No sum of squares of halves overflows as a float, nor is it denormal.
#define SCALAR(x, T) ((T)(x))
#define VECTOR(x, T) __builtin_convertvector(x, T)
#define GEOMETRIC(N, CONVERT)                                                                                 \
  float PURE dot(float##N x, float##N y);                                                                     \
  float##N PURE normalize(float##N x);                                                                        \
  half PURE dot(half##N x, half##N y) { return (half)dot(CONVERT(x, float##N), CONVERT(y, float##N)); }       \
  static float length##N(float##N x) { return __builtin_elementwise_sqrt(dot(x, x)); }                        \
  half PURE length(half##N x) { return (half)length##N(CONVERT(x, float##N)); }                               \
  half PURE distance(half##N x, half##N y) {                                                                  \
    return (half)length##N(CONVERT(x, float##N) - CONVERT(y, float##N));                                      \
  }                                                                                                           \
  half##N PURE normalize(half##N x) { return CONVERT(normalize(CONVERT(x, float##N)), half##N); }

GEOMETRIC(, SCALAR)
GEOMETRIC(2, VECTOR)
GEOMETRIC(3, VECTOR)
GEOMETRIC(4, VECTOR)

float3 PURE cross(float3 x, float3 y);
half3 PURE cross(half3 x, half3 y) { return VECTOR(cross(VECTOR(x, float3), VECTOR(y, float3)), half3); }
half4 PURE cross(half4 x, half4 y) { return (half4)(cross(x.xyz, y.xyz), 0); }
