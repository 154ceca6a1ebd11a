// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Sine, cosine and tangent of float. libclc's run the reduction of huge arguments for every lane of a vector; here it is
// behind a branch, which no lane takes as long as arguments are below 2^17.

/// The bits of 1 / (2 pi) behind the point, after six zeros.
#define TURN_0 0x00a2f983u
#define TURN_1 0x6e4e4415u
#define TURN_2 0x29fc2757u
#define TURN_3 0xd1f534ddu
#define TURN_4 0xc0db6295u
#define TURN_5 0x993c4390u
#define TURN_6 0x41fe5163u

int PURE any(int2 x);
int PURE any(int3 x);
int PURE any(int4 x);
int PURE any(int8 x);
int PURE any(int16 x);

#define BODY "trigonometry_body.h"
#include "each_width.h"
