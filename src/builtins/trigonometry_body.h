// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by trigonometry.cl for each length of vectors.

FLOAT PURE fma(FLOAT x, FLOAT y, FLOAT z);
FLOAT PURE fabs(FLOAT x);

/// One of four, by masks: a choice would become a branch.
static UINT STATIC(pick)(UINT odd, UINT far, uint w0, uint w1, uint w2, uint w3) {
  const UINT low = w0 ^ (odd & (w0 ^ w1)), high = w2 ^ (odd & (w2 ^ w3));
  return low ^ (far & (low ^ high));
}

/// The fraction of a turn, in units of 2^-64, that a finite x >= 2^17 is beyond whole ones. x is m * 2^(shift - 6) with
/// an integer m below 2^24: the bits of 1 / (2 pi) with which m gives whole turns are shifted out, and of the rest 96
/// do.
static ULONG STATIC(fractionOfTurn)(FLOAT x) {
  const UINT bits = AS(x, UINT);
  const UINT m = (bits & 0x7fffff) | 0x800000;
  const UINT shift = (bits >> 23) - 144;
  const UINT up = shift & 31, down = 31 - up;
  const UINT odd = -((shift >> 5) & 1), far = -(shift >> 6);
  const UINT a = STATIC(pick)(odd, far, TURN_0, TURN_1, TURN_2, TURN_3);
  const UINT b = STATIC(pick)(odd, far, TURN_1, TURN_2, TURN_3, TURN_4);
  const UINT c = STATIC(pick)(odd, far, TURN_2, TURN_3, TURN_4, TURN_5);
  const UINT d = STATIC(pick)(odd, far, TURN_3, TURN_4, TURN_5, TURN_6);
  const UINT high = (a << up) | ((b >> 1) >> down);
  const UINT middle = (b << up) | ((c >> 1) >> down);
  const UINT low = (c << up) | ((d >> 1) >> down);
  const ULONG wide = CONVERT(m, ULONG);
  return (CONVERT(high * m, ULONG) << 32) + wide * CONVERT(middle, ULONG) + ((wide * CONVERT(low, ULONG)) >> 32);
}

/// From units of 2^-64 turns to radians. The angle and 2 pi have two parts, so that only the last operation rounds
/// much.
static FLOAT STATIC(radiansOf)(LONG turns) {
  const FLOAT high = CONVERT(turns, FLOAT);
  const FLOAT low = CONVERT(turns - CONVERT(high, LONG), FLOAT);
  return fma(high, K(0x1.921fb6p-62f), fma(low, K(0x1.921fb6p-62f), high * K(-0x1.777a5cp-87f)));
}

/// r = x - n pi in three steps, of which the first is exact, since r is less than 2.
static FLOAT STATIC(lessHalfTurns)(FLOAT x, FLOAT n) {
  FLOAT r = fma(n, K(-0x1.921fb6p+1f), x);
  r = fma(n, K(0x1.777a5cp-24f), r);
  return fma(n, K(0x1.ee59dap-49f), r);
}

/// r = x - n pi/2 in three steps, as lessHalfTurns() does it for multiples of pi.
static FLOAT STATIC(lessQuarterTurns)(FLOAT x, FLOAT n) {
  FLOAT r = fma(n, K(-0x1.921fb6p+0f), x);
  r = fma(n, K(0x1.777a5cp-25f), r);
  return fma(n, K(0x1.ee59dap-50f), r);
}

/// Adding it rounds to an integer, which then lies in the number's low bits.
#define INTEGERS K(0x1.8p+23f)

/// Sine on [-pi/2, pi/2]. The coefficients are chosen for the least error with what rounding does, and for 1 at pi/2.
static FLOAT STATIC(sineOfHalf)(FLOAT r) {
  const FLOAT q = r * r;
  FLOAT p = fma(q, K(0x1.5e0b02p-19f), K(-0x1.9f72bcp-13f));
  p = fma(q, p, K(0x1.110e9cp-7f));
  p = fma(q, p, K(-0x1.555544p-3f));
  return fma(r * q, p, r);
}

FLOAT PURE sin(FLOAT x) {
  const FLOAT a = fabs(x);
  const FLOAT shifted = fma(a, K(0x1.45f306p-2f), INTEGERS);
  FLOAT r = STATIC(lessHalfTurns)(a, shifted - INTEGERS);
  INT flip = AS(shifted, INT) << 31;
  const INT huge = a >= 0x1p+17f;
  if (ANY(huge)) {
    const ULONG turns = STATIC(fractionOfTurn)(a);
    const FLOAT far = STATIC(radiansOf)(AS(turns << 1, LONG) >> 1);
    const INT farFlip = CONVERT((turns + (1ul << 62)) >> 32, INT) & (int)0x80000000;
    r = huge ? (a < INFINITY ? far : K(NAN)) : r;
    flip = huge ? farFlip : flip;
  }
  // The sign of x comes last, so that -0 keeps its own.
  return AS(AS(STATIC(sineOfHalf)(r), INT) ^ flip ^ (AS(x, INT) & (int)0x80000000), FLOAT);
}

/// cos x = (-1)^k sin(x - (k - 1/2) pi).
FLOAT PURE cos(FLOAT x) {
  const FLOAT a = fabs(x);
  const FLOAT shifted = fma(a, K(0x1.45f306p-2f), K(0.5f)) + INTEGERS;
  FLOAT r = STATIC(lessHalfTurns)(a, (shifted - INTEGERS) - 0.5f);
  INT flip = AS(shifted, INT) << 31;
  const INT huge = a >= 0x1p+17f;
  if (ANY(huge)) {
    const ULONG turns = STATIC(fractionOfTurn)(a) + (1ul << 62);
    const FLOAT far = STATIC(radiansOf)(AS(turns << 1, LONG) >> 1);
    const INT farFlip = CONVERT((turns + (1ul << 62)) >> 32, INT) & (int)0x80000000;
    r = huge ? (a < INFINITY ? far : K(NAN)) : r;
    flip = huge ? farFlip : flip;
  }
  return AS(AS(STATIC(sineOfHalf)(r), INT) ^ flip, FLOAT);
}

/// a = r + n pi/2 with |r| <= pi/4 for a >= 0; n modulo 4.
static FLOAT STATIC(quarters)(FLOAT a, INT* n) {
  const FLOAT shifted = fma(a, K(0x1.45f306p-1f), INTEGERS);
  FLOAT r = STATIC(lessQuarterTurns)(a, shifted - INTEGERS);
  *n = AS(shifted, INT);
  const INT huge = a >= 0x1p+17f;
  if (ANY(huge)) {
    const ULONG turns = STATIC(fractionOfTurn)(a);
    const FLOAT far = STATIC(radiansOf)(AS(turns << 2, LONG) >> 2);
    r = huge ? (a < INFINITY ? far : K(NAN)) : r;
    *n = huge ? CONVERT((turns + (1ul << 61)) >> 62, INT) : *n;
  }
  return r;
}

/// Relative errors: sine 2^-28, cosine 2^-33, both on [-pi/4, pi/4].
static FLOAT STATIC(sinAndCos)(FLOAT x, FLOAT* cosine) {
  INT n;
  const FLOAT r = STATIC(quarters)(fabs(x), &n);
  const FLOAT q = r * r;
  FLOAT s = fma(q, K(-0x1.994388p-13f), K(0x1.11073ap-7f));
  s = fma(q, s, K(-0x1.555546p-3f));
  s = fma(r * q, s, r);
  FLOAT c = fma(q, K(0x1.9a020cp-16f), K(-0x1.6c0c8ap-10f));
  c = fma(q, c, K(0x1.55554ap-5f));
  c = fma(q * q, c, fma(q, K(-0.5f), K(1.0f)));
  const INT odd = (n & 1) != 0;
  const INT sine = AS(odd ? c : s, INT), other = AS(odd ? s : c, INT);
  *cosine = AS(other ^ (((n + 1) & 2) << 30), FLOAT);
  return AS(sine ^ ((n & 2) << 30) ^ (AS(x, INT) & (int)0x80000000), FLOAT);
}

FLOAT OVERLOAD sincos(FLOAT x, __private FLOAT* cosine) { return STATIC(sinAndCos)(x, cosine); }
FLOAT OVERLOAD sincos(FLOAT x, __global FLOAT* cosine) {
  FLOAT c;
  const FLOAT s = STATIC(sinAndCos)(x, &c);
  *cosine = c;
  return s;
}
FLOAT OVERLOAD sincos(FLOAT x, __local FLOAT* cosine) {
  FLOAT c;
  const FLOAT s = STATIC(sinAndCos)(x, &c);
  *cosine = c;
  return s;
}

/// A polynomial on [-pi/4, pi/4], relative error 2^-25.8; in odd quarters its negative inverse.
static FLOAT STATIC(tangentOfQuarter)(FLOAT r, INT n) {
  const FLOAT q = r * r;
  FLOAT p = fma(q, K(0x1.339e5ep-7f), K(0x1.986a4ap-9f));
  p = fma(q, p, K(0x1.904da2p-6f));
  p = fma(q, p, K(0x1.b58a2ap-5f));
  p = fma(q, p, K(0x1.112dc4p-3f));
  p = fma(q, p, K(0x1.5554dep-2f));
  const FLOAT t = fma(r * q, p, r);
  const INT odd = (n & 1) != 0;
  return (odd ? K(-1.0f) : t) / (odd ? t : K(1.0f));
}

FLOAT PURE tan(FLOAT x) {
  INT n;
  const FLOAT r = STATIC(quarters)(fabs(x), &n);
  const FLOAT y = STATIC(tangentOfQuarter)(r, n);
  return AS(AS(y, INT) ^ (AS(x, INT) & (int)0x80000000), FLOAT);
}

/// Into [-pi/2, pi/2], where angles beyond 2^23 would leave: they get some value there. NaN stays.
static FLOAT STATIC(bounded)(FLOAT r) {
  const FLOAT less = r > 0x1.921fb6p+0f ? K(0x1.921fb6p+0f) : r;
  return less < -0x1.921fb6p+0f ? K(-0x1.921fb6p+0f) : less;
}

FLOAT PURE native_sin(FLOAT x) {
  const FLOAT shifted = fma(x, K(0x1.45f306p-2f), INTEGERS);
  const FLOAT r = STATIC(bounded)(STATIC(lessHalfTurns)(x, shifted - INTEGERS));
  return AS(AS(STATIC(sineOfHalf)(r), INT) ^ (AS(shifted, INT) << 31), FLOAT);
}

FLOAT PURE native_cos(FLOAT x) {
  const FLOAT shifted = fma(x, K(0x1.45f306p-2f), K(0.5f)) + INTEGERS;
  const FLOAT r = STATIC(bounded)(STATIC(lessHalfTurns)(x, (shifted - INTEGERS) - 0.5f));
  return AS(AS(STATIC(sineOfHalf)(r), INT) ^ (AS(shifted, INT) << 31), FLOAT);
}

FLOAT PURE native_tan(FLOAT x) {
  const FLOAT shifted = fma(x, K(0x1.45f306p-1f), INTEGERS);
  const FLOAT r = STATIC(bounded)(STATIC(lessQuarterTurns)(x, shifted - INTEGERS));
  return STATIC(tangentOfQuarter)(r, AS(shifted, INT));
}
#undef INTEGERS
