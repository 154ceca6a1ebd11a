// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by remainders.cl for each length of vectors, with REAL for FLOAT or DOUBLE, WHOLE for integers of its size,
// R(c) for constants, and OWN(f) for the names of functions.

REAL PURE fma(REAL x, REAL y, REAL z);
REAL PURE fabs(REAL x);
REAL PURE trunc(REAL x);

/// 2^n for a normal number. A quotient has no more than twice the exponents of these, and MANY_BITS.
static REAL OWN(twoTo)(WHOLE n) { return AS((n + BIAS) << MANTISSA_BITS, REAL); }

/// The exponent of a finite a > 0 that may be denormal.
static WHOLE OWN(exponent)(REAL a) {
  const WHOLE denormal = a < LEAST_NORMAL;
  const WHOLE bits = denormal ? AS(a * R(LARGE_POWER), WHOLE) : AS(a, WHOLE);
  return (bits >> MANTISSA_BITS) - (denormal ? (WHOLE)(BIAS + MANTISSA_BITS + 1) : (WHOLE)(BIAS));
}

/// a less a multiple of 128 b, so that less than 2 MANY b is left. Each step takes MANY_BITS bits of the quotient, or a
/// few less; its multiples of b and the rests are exact.
static REAL OWN(lessLargeMultiples)(REAL a, REAL b) {
  const WHOLE e = OWN(exponent)(b);
  for (int step = 0; step < 64; ++step) {
    const WHOLE apart = OWN(exponent)(a) - e;
    const WHOLE far = apart > MANY_BITS && a > R(0);
    if (!ANY(far)) break;
    WHOLE k = apart - MANY_BITS;
    k = k < 7 ? (WHOLE)(7) : k;
    const WHOLE half_ = k >> 1;
    const REAL scaled = b * OWN(twoTo)(half_) * OWN(twoTo)(k - half_);
    const REAL q = trunc(a / scaled);
    const REAL r = fma(-q, scaled, a);
    a = far ? (r < R(0) ? r + scaled : r) : a;
  }
  return a;
}

/// a mod b for a >= 0 and b > 0, NaN where there is none. The rounded quotient may be one more than the true one, but
/// not less: then what is left is negative. Either way it is exact. `quotient` is right modulo 128.
static REAL OWN(positiveMod)(REAL a, REAL b, REAL* quotient) {
  REAL q = trunc(a / b);
  REAL r = fma(-q, b, a);
  const WHOLE large = q >= R(MANY);
  if (ANY(large)) {
    const WHOLE numbers = a < R(INFINITY) && b > R(0);
    const REAL rest = OWN(lessLargeMultiples)(large && numbers ? a : R(0), numbers ? b : R(1));
    const REAL last = trunc(rest / b);
    q = large ? last : q;
    r = large ? (numbers ? fma(-last, b, rest) : R(NAN)) : r;
  }
  const WHOLE more = r < R(0), below = a < b;
  r = more ? r + b : r;
  q = more ? q - R(1) : q;
  *quotient = below ? R(0) : q;
  // Also where b is infinite.
  return below ? a : r;
}

REAL PURE fmod(REAL x, REAL y) {
  REAL q;
  const REAL r = OWN(positiveMod)(fabs(x), fabs(y), &q);
  return AS(AS(r, WHOLE) | (AS(x, WHOLE) & SIGN), REAL);
}

/// The quotient is rounded up where more than half of b is left, or just half and it is odd. b - r is exact there, or
/// on the same side of r.
static REAL OWN(nearestMod)(REAL x, REAL y, WHOLE* quotient) {
  const REAL b = fabs(y);
  REAL q;
  const REAL r = OWN(positiveMod)(fabs(x), b, &q);
  const REAL up = b - r;
  const WHOLE n = CONVERT(q <= R(MANY * 4) ? q : R(0), WHOLE);
  const WHOLE isUp = r > up || (r == up && (n & 1) != 0);
  *quotient = isUp ? n + 1 : n;
  return AS(AS(isUp ? -up : r, WHOLE) ^ (AS(x, WHOLE) & SIGN), REAL);
}

REAL PURE remainder(REAL x, REAL y) {
  WHOLE n;
  return OWN(nearestMod)(x, y, &n);
}

#define REMQUO(ADDRESS_SPACE)                                                                                          \
  REAL OVERLOAD remquo(REAL x, REAL y, ADDRESS_SPACE INT* quotient) {                                                  \
    WHOLE n;                                                                                                           \
    const REAL r = OWN(nearestMod)(x, y, &n);                                                                          \
    n &= 127;                                                                                                          \
    *quotient = CONVERT((AS(x, WHOLE) ^ AS(y, WHOLE)) < 0 ? -n : n, INT);                                              \
    return r;                                                                                                          \
  }
REMQUO(__private)
REMQUO(__global)
REMQUO(__local)
#undef REMQUO
