// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Floats as the 16 bits of a bfloat16, and back (cl_intel_bfloat16_conversions): rounded to nearest even; a NaN stays
// one.

#define CONVERSIONS(N)                                                                                                 \
  ushort##N PURE intel_convert_bfloat16##N##_as_ushort##N(float##N from) {                                             \
    const uint##N bits = __builtin_astype(from, uint##N);                                                              \
    const uint##N rounded = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;                                 \
    const uint##N isNan = __builtin_astype((bits & 0x7fffffff) > 0x7f800000, uint##N);                                 \
    const uint##N chosen = (quiet & isNan) | (rounded & ~isNan);                                                       \
    return __builtin_convertvector(chosen >> 16, ushort##N);                                                           \
  }                                                                                                                    \
  float##N PURE intel_convert_as_bfloat16##N##_float##N(ushort##N from) {                                              \
    return __builtin_astype(__builtin_convertvector(from, uint##N) << 16, float##N);                                   \
  }

CONVERSIONS(2)
CONVERSIONS(3)
CONVERSIONS(4)
CONVERSIONS(8)
CONVERSIONS(16)

ushort PURE intel_convert_bfloat16_as_ushort(float from) {
  const uint bits = __builtin_astype(from, uint);
  const uint rounded = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
  return (ushort)(((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded) >> 16);
}

float PURE intel_convert_as_bfloat16_float(ushort from) { return __builtin_astype((uint)from << 16, float); }
