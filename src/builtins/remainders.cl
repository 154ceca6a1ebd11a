// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// fmod, remainder and remquo of float, by the rounded quotient. Quotients from 2^22 on are behind a branch.

int PURE any(int2 x);
int PURE any(int3 x);
int PURE any(int4 x);
int PURE any(int8 x);
int PURE any(int16 x);

#define SIGN ((int)0x80000000)

#define BODY "remainders_body.h"
#include "each_width.h"
