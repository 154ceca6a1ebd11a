// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// mad_sat of long: libclc takes the product of zero and a negative number for an overflow. Here the 128 bits of a * b + c
// are computed, which fit in a long exactly when the upper half is the sign of the lower one.
#define MAD_SAT(N)                                                                                   \
  long##N PURE mul_hi(long##N a, long##N b);                                                         \
  long##N PURE mad_sat(long##N a, long##N b, long##N c) {                                            \
    const ulong##N product = as_ulong##N(a) * as_ulong##N(b);                                        \
    const ulong##N low = product + as_ulong##N(c);                                                   \
    const long##N carry = low < product ? (long##N)1 : (long##N)0;                                   \
    const long##N high = mul_hi(a, b) + (c >> 63) + carry;                                           \
    const long##N limit = high < 0 ? (long##N)LONG_MIN : (long##N)LONG_MAX;                          \
    return high == as_long##N(low) >> 63 ? as_long##N(low) : limit;                                  \
  }

MAD_SAT()
MAD_SAT(2)
MAD_SAT(3)
MAD_SAT(4)
MAD_SAT(8)
MAD_SAT(16)
