// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by exponentials.cl for each length of vectors.

FLOAT PURE sqrt(FLOAT x);

/// For numbers whose square overflows or swallows 1.
#define IS_HUGE(a) (!((a) < 0x1p+60f))

/// log(a + sqrt(a^2 + 1)), so said that it is exact where a is small.
FLOAT PURE asinh(FLOAT x) {
  const FLOAT a = fabs(x);
  const FLOAT square = a * a;
  FLOAT y = log1p(a + square / (1.0f + sqrt(square + 1.0f)));
  if (ANY(IS_HUGE(a))) {
    const FLOAT z = log(a) + 0x1.62e43p-1f;
    y = IS_HUGE(a) ? z : y;
  }
  return AS((AS(y, INT) & ~SIGN) | (AS(x, INT) & SIGN), FLOAT);
}

/// log(x + sqrt(x^2 - 1)) by what x is above 1.
FLOAT PURE acosh(FLOAT x) {
  const FLOAT t = x - 1.0f;
  FLOAT y = log1p(t + sqrt(fma(t, t, t + t)));
  y = x < 1.0f ? K(NAN) : y;
  if (ANY(IS_HUGE(x))) {
    const FLOAT z = log(x) + 0x1.62e43p-1f;
    y = x >= 0x1p+60f ? z : y;
  }
  return y;
}

/// log((1 + a) / (1 - a)) / 2.
FLOAT PURE atanh(FLOAT x) {
  const FLOAT a = fabs(x);
  const FLOAT y = 0.5f * log1p((a + a) / (1.0f - a));
  return AS((AS(y, INT) & ~SIGN) | (AS(x, INT) & SIGN), FLOAT);
}
#undef IS_HUGE
