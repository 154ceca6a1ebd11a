// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Exponential and logarithm of float and what is made of them. Infinities, overflow and denormals are behind branches, so
// that vectors without such lanes pay a test and nothing else.

int PURE any(int2 x);
int PURE any(int3 x);
int PURE any(int4 x);
int PURE any(int8 x);
int PURE any(int16 x);

/// Adding it rounds to an integer, which then lies in the number's low bits.
#define INTEGERS K(0x1.8p+23f)
#define SIGN ((int)0x80000000)

#define BODY "exponentials_body.h"
#include "each_width.h"
#undef BODY
#define BODY "logarithms_body.h"
#include "each_width.h"
#undef BODY
#define BODY "inverse_hyperbolic_body.h"
#include "each_width.h"
#undef BODY
#define BODY "powers_body.h"
#include "each_width.h"
#undef BODY
#define BODY "special_body.h"
#include "each_width.h"
