// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// cl_khr_extended_bit_ops. A count of all bits or of none must not become a shift by the width of the type, which
// OpenCL C takes modulo that width.

#define FIELDS(T, S, U, N, BITS)                                                                          \
  static U##N OVERLOAD lowBits(U##N like, uint count) {                                                   \
    return (U##N)(count < BITS ? (U)(((U)1 << count) - (U)1) : (U)~(U)0);                                 \
  }                                                                                                       \
  T##N PURE bitfield_insert(T##N base, T##N insert, uint offset, uint count) {                            \
    const U##N mask = lowBits(as_##U##N(base), count) << (U##N)(U)offset;                                 \
    return as_##T##N((U##N)((as_##U##N(base) & ~mask) | ((as_##U##N(insert) << (U##N)(U)offset) & mask))); \
  }                                                                                                       \
  EXTRACT(T, S, U, N, BITS)                                                                               \
  EXTRACT(U, S, U, N, BITS)                                                                               \
  T##N PURE bit_reverse(T##N x) { return __builtin_elementwise_bitreverse(x); }                           \
  U##N PURE bitfield_insert(U##N base, U##N insert, uint offset, uint count) {                            \
    return as_##U##N(bitfield_insert(as_##T##N(base), as_##T##N(insert), offset, count));                 \
  }                                                                                                       \
  U##N PURE bit_reverse(U##N x) { return __builtin_elementwise_bitreverse(x); }

#define EXTRACT(T, S, U, N, BITS)                                                                         \
  S##N PURE bitfield_extract_signed(T##N base, uint offset, uint count) {                                 \
    const S##N top = as_##S##N((U##N)(as_##U##N(base) << (U##N)(U)(BITS - offset - count)));               \
    return count == 0 ? (S##N)0 : (S##N)(top >> (S##N)(S)(BITS - count));                                  \
  }                                                                                                       \
  U##N PURE bitfield_extract_unsigned(T##N base, uint offset, uint count) {                               \
    return (as_##U##N(base) >> (U##N)(U)offset) & lowBits(as_##U##N(base), count);                        \
  }

#define WIDTHS(S, U, BITS)                                                                      \
  FIELDS(S, S, U, , BITS) FIELDS(S, S, U, 2, BITS) FIELDS(S, S, U, 3, BITS) FIELDS(S, S, U, 4, BITS) \
  FIELDS(S, S, U, 8, BITS) FIELDS(S, S, U, 16, BITS)

WIDTHS(char, uchar, 8)
WIDTHS(short, ushort, 16)
WIDTHS(int, uint, 32)
WIDTHS(long, ulong, 64)
