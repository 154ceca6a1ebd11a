// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Relational functions, loads, stores and shuffles of half (OpenCL C 3.0, sections 6.15.6, 6.15.7, 6.15.11 and 6.15.13).

// --- Relational: 1 for a scalar, all bits for a component ---

#define RELATION(NAME, CONDITION, RESULT, N) RESULT##N PURE NAME(half##N x, half##N y) { return CONDITION; }

#define RELATIONAL(N, RESULT)                                                                  \
  RELATION(isequal, x == y, RESULT, N)                                                         \
  RELATION(isnotequal, x != y, RESULT, N)                                                      \
  RELATION(isgreater, x > y, RESULT, N)                                                        \
  RELATION(isgreaterequal, x >= y, RESULT, N)                                                  \
  RELATION(isless, x < y, RESULT, N)                                                           \
  RELATION(islessequal, x <= y, RESULT, N)                                                     \
  RELATION(islessgreater, x < y || x > y, RESULT, N)                                           \
  RELATION(isordered, x == x && y == y, RESULT, N)                                             \
  RELATION(isunordered, x != x || y != y, RESULT, N)                                           \
  static short##N magnitude##N(half##N x) { return as_short##N(x) & (short##N)(0x7fff); }      \
  RESULT##N PURE isnan(half##N x) { return x != x; }                                           \
  RESULT##N PURE isinf(half##N x) { return magnitude##N(x) == (short##N)(0x7c00); }            \
  RESULT##N PURE isfinite(half##N x) { return magnitude##N(x) < (short##N)(0x7c00); }          \
  RESULT##N PURE isnormal(half##N x) {                                                         \
    return magnitude##N(x) < (short##N)(0x7c00) && magnitude##N(x) >= (short##N)(0x400);       \
  }                                                                                            \
  RESULT##N PURE signbit(half##N x) { return as_short##N(x) < (short##N)(0); }                 \
  half##N PURE bitselect(half##N a, half##N b, half##N c) {                                    \
    const short##N mask = as_short##N(c);                                                      \
    return as_half##N((short##N)((as_short##N(a) & ~mask) | (as_short##N(b) & mask)));         \
  }

RELATIONAL(, int)
RELATIONAL(2, short)
RELATIONAL(3, short)
RELATIONAL(4, short)
RELATIONAL(8, short)
RELATIONAL(16, short)

// Scalar conditions are true if any bit is set, components of vectors if the highest is.
half PURE select(half a, half b, short c) { return c ? b : a; }
half PURE select(half a, half b, ushort c) { return c ? b : a; }

#define SELECT(N)                                                                              \
  half##N PURE select(half##N a, half##N b, short##N c) { return c < (short##N)(0) ? b : a; }  \
  half##N PURE select(half##N a, half##N b, ushort##N c) { return select(a, b, as_short##N(c)); }

SELECT(2)
SELECT(3)
SELECT(4)
SELECT(8)
SELECT(16)

// --- Shuffles: of the same bits ---

#define SHUFFLE(N, M)                                                                          \
  ushort##M PURE shuffle(ushort##N x, ushort##M mask);                                         \
  ushort##M PURE shuffle2(ushort##N x, ushort##N y, ushort##M mask);                           \
  half##M PURE shuffle(half##N x, ushort##M mask) { return as_half##M(shuffle(as_ushort##N(x), mask)); } \
  half##M PURE shuffle2(half##N x, half##N y, ushort##M mask) {                                \
    return as_half##M(shuffle2(as_ushort##N(x), as_ushort##N(y), mask));                       \
  }
#define SHUFFLES(M) SHUFFLE(2, M) SHUFFLE(4, M) SHUFFLE(8, M) SHUFFLE(16, M)

SHUFFLES(2)
SHUFFLES(4)
SHUFFLES(8)
SHUFFLES(16)

// --- Memory: the element's alignment is all that may be assumed ---

#define LOAD(AS, N)                                                                            \
  half##N OVERLOAD vload##N(size_t offset, const AS half* p) {                                 \
    return *(const AS Unaligned##N*)(p + N * offset);                                          \
  }
#define STORE(AS, N)                                                                           \
  void OVERLOAD vstore##N(half##N data, size_t offset, AS half* p) {                           \
    *(AS Unaligned##N*)(p + N * offset) = data;                                                \
  }
#define MEMORY(N)                                                                              \
  typedef half##N __attribute__((aligned(2))) Unaligned##N;                                    \
  LOAD(__private, N) LOAD(__local, N) LOAD(__global, N) LOAD(__constant, N) LOAD(__generic, N) \
  STORE(__private, N) STORE(__local, N) STORE(__global, N) STORE(__generic, N)

MEMORY(2)
MEMORY(4)
MEMORY(8)
MEMORY(16)

// A three-component vector has the size of four, but only three are in memory.
#define LOAD3(AS)                                                                              \
  half3 OVERLOAD vload3(size_t offset, const AS half* p) {                                     \
    p += 3 * offset;                                                                           \
    return (half3)(p[0], p[1], p[2]);                                                          \
  }
#define STORE3(AS)                                                                             \
  void OVERLOAD vstore3(half3 data, size_t offset, AS half* p) {                               \
    p += 3 * offset;                                                                           \
    p[0] = data.s0, p[1] = data.s1, p[2] = data.s2;                                            \
  }

LOAD3(__private) LOAD3(__local) LOAD3(__global) LOAD3(__constant) LOAD3(__generic)
STORE3(__private) STORE3(__local) STORE3(__global) STORE3(__generic)

// Hardware foresees what kernels read in order; what they ask for besides is no more than a wish.
#define PREFETCH(N) void OVERLOAD prefetch(const __global half##N* p, size_t count) {}

PREFETCH() PREFETCH(2) PREFETCH(3) PREFETCH(4) PREFETCH(8) PREFETCH(16)
