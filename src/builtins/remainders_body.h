// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by remainders.cl for each length of vectors.

FLOAT PURE fma(FLOAT x, FLOAT y, FLOAT z);
FLOAT PURE fabs(FLOAT x);
FLOAT PURE trunc(FLOAT x);

/// The exponent of a finite a > 0 that may be denormal.
static INT STATIC(exponent)(FLOAT a) {
  const INT denormal = a < 0x1p-126f;
  const INT bits = denormal ? AS(a * 0x1p+24f, INT) : AS(a, INT);
  return (bits >> 23) - (denormal ? (INT)(24 + 127) : (INT)(127));
}

/// a less a multiple of 128 b, so that less than 2^23 b is left. Each step takes 16 to 22 bits of the quotient; its
/// multiples of b and the rests are exact.
static FLOAT STATIC(lessLargeMultiples)(FLOAT a, FLOAT b) {
  const INT e = STATIC(exponent)(b);
  for (int step = 0; step < 20; ++step) {
    const INT apart = STATIC(exponent)(a) - e;
    const INT far = apart > 22 && a > 0.0f;
    if (!ANY(far)) break;
    INT k = apart - 22;
    k = k < 7 ? (INT)(7) : k;
    const INT half_ = k >> 1;
    const FLOAT scaled = b * AS((half_ + 127) << 23, FLOAT) * AS((k - half_ + 127) << 23, FLOAT);
    const FLOAT q = trunc(a / scaled);
    const FLOAT r = fma(-q, scaled, a);
    a = far ? (r < 0.0f ? r + scaled : r) : a;
  }
  return a;
}

/// a mod b for a >= 0 and b > 0, NaN where there is none. The rounded quotient may be one more than the true one, but not
/// less: then what is left is negative. Either way it is exact. `quotient` is right modulo 128.
static FLOAT STATIC(positiveMod)(FLOAT a, FLOAT b, FLOAT* quotient) {
  FLOAT q = trunc(a / b);
  FLOAT r = fma(-q, b, a);
  const INT large = q >= 0x1p+22f;
  if (ANY(large)) {
    const INT numbers = a < INFINITY && b > 0.0f;
    const FLOAT rest = STATIC(lessLargeMultiples)(large && numbers ? a : K(0.0f), numbers ? b : K(1.0f));
    const FLOAT last = trunc(rest / b);
    q = large ? last : q;
    r = large ? (numbers ? fma(-last, b, rest) : K(NAN)) : r;
  }
  const INT more = r < 0.0f, below = a < b;
  r = more ? r + b : r;
  q = more ? q - 1.0f : q;
  *quotient = below ? K(0.0f) : q;
  // Also where b is infinite.
  return below ? a : r;
}

FLOAT PURE fmod(FLOAT x, FLOAT y) {
  FLOAT q;
  const FLOAT r = STATIC(positiveMod)(fabs(x), fabs(y), &q);
  return AS(AS(r, INT) | (AS(x, INT) & SIGN), FLOAT);
}

/// The quotient is rounded up where more than half of b is left, or just half and it is odd. b - r is exact there, or on
/// the same side of r.
static FLOAT STATIC(nearestMod)(FLOAT x, FLOAT y, INT* quotient) {
  const FLOAT b = fabs(y);
  FLOAT q;
  const FLOAT r = STATIC(positiveMod)(fabs(x), b, &q);
  const FLOAT up = b - r;
  const INT n = CONVERT(q < 0x1p+23f ? q : K(0.0f), INT);
  const INT isUp = r > up || (r == up && (n & 1) != 0);
  *quotient = isUp ? n + 1 : n;
  return AS(AS(isUp ? -up : r, INT) ^ (AS(x, INT) & SIGN), FLOAT);
}

FLOAT PURE remainder(FLOAT x, FLOAT y) {
  INT n;
  return STATIC(nearestMod)(x, y, &n);
}

#define REMQUO(ADDRESS_SPACE)                                                                                          \
  FLOAT OVERLOAD remquo(FLOAT x, FLOAT y, ADDRESS_SPACE INT* quotient) {                                               \
    INT n;                                                                                                             \
    const FLOAT r = STATIC(nearestMod)(x, y, &n);                                                                      \
    n &= 127;                                                                                                          \
    *quotient = (AS(x, INT) ^ AS(y, INT)) < 0 ? -n : n;                                                                \
    return r;                                                                                                          \
  }
REMQUO(__private)
REMQUO(__global)
REMQUO(__local)
#undef REMQUO
