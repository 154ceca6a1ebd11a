// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// fmod, remainder and remquo by the rounded quotient. Where it has too many bits for that is behind a branch.

int PURE any(int2 x);
int PURE any(int3 x);
int PURE any(int4 x);
int PURE any(int8 x);
int PURE any(int16 x);
int PURE any(long2 x);
int PURE any(long3 x);
int PURE any(long4 x);
int PURE any(long8 x);
int PURE any(long16 x);

#define R(c) ((REAL)(c))
#define BODY "remainders_body.h"

#define REAL FLOAT
#define WHOLE INT
#define OWN(f) STATIC(f##Float)
#define SIGN ((int)0x80000000)
#define BIAS 127
#define MANTISSA_BITS 23
#define LEAST_NORMAL 0x1p-126f
#define LARGE_POWER 0x1p+24f
#define MANY_BITS 22
#define MANY 0x1p+22f
#include "each_width.h"
#undef REAL
#undef WHOLE
#undef OWN
#undef SIGN
#undef BIAS
#undef MANTISSA_BITS
#undef LEAST_NORMAL
#undef LARGE_POWER
#undef MANY_BITS
#undef MANY

#define REAL DOUBLE
#define WHOLE LONG
#define OWN(f) STATIC(f##Double)
#define SIGN ((long)0x8000000000000000)
#define BIAS 1023l
#define MANTISSA_BITS 52
#define LEAST_NORMAL 0x1p-1022
#define LARGE_POWER 0x1p+53
#define MANY_BITS 51
#define MANY 0x1p+51
#include "each_width.h"
