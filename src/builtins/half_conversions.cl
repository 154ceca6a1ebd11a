// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Conversions from and to half (OpenCL C 3.0, section 6.4.3). Those to integers that do not saturate are the ones that do
// (conversions.cl): out of range they may give anything.

#define SCALAR(x, T) ((T)(x))
#define VECTOR(x, T) __builtin_convertvector(x, T)
#define WIDTHS(M, ...) \
  M(, SCALAR, __VA_ARGS__) M(2, VECTOR, __VA_ARGS__) M(3, VECTOR, __VA_ARGS__) M(4, VECTOR, __VA_ARGS__) \
  M(8, VECTOR, __VA_ARGS__) M(16, VECTOR, __VA_ARGS__)

// --- To integers ---

#define TO_INTEGER_MODE(T, N, MODE)                                            \
  T##N PURE convert_##T##N##_sat##MODE(half##N x);                             \
  T##N PURE convert_##T##N##MODE(half##N x) { return convert_##T##N##_sat##MODE(x); }
#define TO_INTEGER(N, CONVERT, T)                                              \
  TO_INTEGER_MODE(T, N, )                                                      \
  TO_INTEGER_MODE(T, N, _rte)                                                  \
  TO_INTEGER_MODE(T, N, _rtz)                                                  \
  TO_INTEGER_MODE(T, N, _rtp)                                                  \
  TO_INTEGER_MODE(T, N, _rtn)

WIDTHS(TO_INTEGER, char)
WIDTHS(TO_INTEGER, uchar)
WIDTHS(TO_INTEGER, short)
WIDTHS(TO_INTEGER, ushort)
WIDTHS(TO_INTEGER, int)
WIDTHS(TO_INTEGER, uint)
WIDTHS(TO_INTEGER, long)
WIDTHS(TO_INTEGER, ulong)

// --- To real types: exact ---

#define EXACT_MODE(T, N, CONVERT, MODE) T##N PURE convert_##T##N##MODE(half##N x) { return CONVERT(x, T##N); }
#define EXACT(N, CONVERT, T)                                                   \
  EXACT_MODE(T, N, CONVERT, )                                                  \
  EXACT_MODE(T, N, CONVERT, _rte)                                              \
  EXACT_MODE(T, N, CONVERT, _rtz)                                              \
  EXACT_MODE(T, N, CONVERT, _rtp)                                              \
  EXACT_MODE(T, N, CONVERT, _rtn)

WIDTHS(EXACT, half)
WIDTHS(EXACT, float)
WIDTHS(EXACT, double)

// --- From float and double: the conversion rounds to nearest, and a step to the next half mends what went the wrong
// way. As integers, neighbouring halves of one sign differ by one, up to infinity. ---

#define BITS(x, N) __builtin_astype(x, short##N)
/// 1 where the condition holds.
#define WHERE(condition, N, CONVERT) (CONVERT(condition, short##N) & (short##N)(1))
/// The step away from zero that goes up.
#define UP(bits, N) ((bits >> (short##N)(15)) | (short##N)(1))

#define DIRECTED(N, CONVERT, F, MODE, CONDITION, STEP)                         \
  half##N PURE convert_half##N##MODE(F##N x) {                                 \
    const half##N nearest = CONVERT(x, half##N);                               \
    const F##N back = CONVERT(nearest, F##N);                                  \
    const short##N bits = BITS(nearest, N), wrong = WHERE(CONDITION, N, CONVERT); \
    return __builtin_astype((short##N)(bits + (STEP)), half##N);               \
  }
#define FROM_REAL(N, CONVERT, F)                                               \
  half##N PURE convert_half##N(F##N x) { return CONVERT(x, half##N); }         \
  half##N PURE convert_half##N##_rte(F##N x) { return CONVERT(x, half##N); }   \
  DIRECTED(N, CONVERT, F, _rtz, __builtin_elementwise_abs(back) > __builtin_elementwise_abs(x), -wrong) \
  DIRECTED(N, CONVERT, F, _rtp, back < x, wrong * UP(bits, N))                 \
  DIRECTED(N, CONVERT, F, _rtn, back > x, -wrong * UP(bits, N))

WIDTHS(FROM_REAL, float)
WIDTHS(FROM_REAL, double)

// --- From integers: those that are no floats are beyond the largest half ---

#define FROM_INTEGER(N, CONVERT, T)                                            \
  half##N PURE convert_half##N(T##N x) { return CONVERT(x, half##N); }         \
  half##N PURE convert_half##N##_rte(T##N x) { return CONVERT(x, half##N); }   \
  half##N PURE convert_half##N##_rtz(T##N x) { return convert_half##N##_rtz(CONVERT(x, float##N)); } \
  half##N PURE convert_half##N##_rtp(T##N x) { return convert_half##N##_rtp(CONVERT(x, float##N)); } \
  half##N PURE convert_half##N##_rtn(T##N x) { return convert_half##N##_rtn(CONVERT(x, float##N)); }

WIDTHS(FROM_INTEGER, char)
WIDTHS(FROM_INTEGER, uchar)
WIDTHS(FROM_INTEGER, short)
WIDTHS(FROM_INTEGER, ushort)
WIDTHS(FROM_INTEGER, int)
WIDTHS(FROM_INTEGER, uint)
WIDTHS(FROM_INTEGER, long)
WIDTHS(FROM_INTEGER, ulong)
