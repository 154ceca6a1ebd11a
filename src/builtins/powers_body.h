// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by exponentials.cl for each length of vectors. Powers go by 2^(y log2 x): the logarithm has two parts, so
// that the exponent's error is below 2^-21 also where it is large. Polynomials: scripts/polynomials.sollya.

FLOAT PURE rint(FLOAT x);

/// log2 a = high + low for a finite a > 0; its relative error is below 2^-27.
static FLOAT STATIC(exactLog2)(FLOAT a, FLOAT* low) {
  const INT denormal = a < 0x1p-126f;
  const INT bits = denormal ? AS(a * 0x1p+24f, INT) : AS(a, INT);
  const INT n = AS(AS(bits, UINT) - 0x3f3504f3u, INT) >> 23; // of negative numbers too, where it does not matter
  const FLOAT e = CONVERT(denormal ? n - 24 : n, FLOAT);
  const FLOAT f = AS(bits - (n << 23), FLOAT) - 1.0f;
  FLOAT p = fma(f, K(0x1.13be08p-4f), K(-0x1.dd992ep-4f));
  p = fma(f, p, K(0x1.e6dd26p-4f));
  p = fma(f, p, K(-0x1.fc3e3ap-4f));
  p = fma(f, p, K(0x1.233af6p-3f));
  p = fma(f, p, K(-0x1.555b8cp-3f));
  p = fma(f, p, K(0x1.99a478p-3f));
  p = fma(f, p, K(-0x1.000008p-2f));
  p = fma(f, p, K(0x1.555548p-2f));
  // ln m = f - f^2/2 + f^3 p, of which the first two terms and f^3 are exact.
  const FLOAT square = f * f;
  const FLOAT squareLow = fma(f, f, -square);
  const FLOAT cube = f * square;
  const FLOAT cubeLow = fma(f, squareLow, fma(f, square, -cube));
  const FLOAT first = fma(square, K(-0.5f), f);
  const FLOAT second = fma(cube, p, fma(cubeLow, p, fma(square, K(-0.5f), f - first) - 0.5f * squareLow));
  const FLOAT h = first + second, l = (first - h) + second;
  // Times 1 / ln 2 in two parts, plus e, which is 0 or the larger.
  const FLOAT t = h * 0x1.715476p+0f;
  const FLOAT u = fma(h, K(0x1.715476p+0f), -t) + fma(h, K(0x1.4ae0cp-26f), l * 0x1.715476p+0f);
  const FLOAT high = e + t;
  *low = ((e - high) + t) + u;
  return high;
}

/// 2^(t + u) for |t| < 160 and a small u; `shifted` is for timesPower.
static FLOAT STATIC(power)(FLOAT t, FLOAT u, FLOAT* shifted) {
  *shifted = t + INTEGERS;
  const FLOAT r = (t - (*shifted - INTEGERS)) + u;
  FLOAT p = fma(r, K(0x1.41fcc4p-13f), K(0x1.5f3e58p-10f));
  p = fma(r, p, K(0x1.3b2d4cp-7f));
  p = fma(r, p, K(0x1.c6aee8p-5f));
  p = fma(r, p, K(0x1.ebfbdcp-3f));
  p = fma(r, p, K(0x1.62e43p-1f));
  return fma(r, p, K(1.0f));
}

/// 2^(t + u) for every t, NaN too. `t` is the infinite or rounded product of the exponent and the logarithm.
static FLOAT STATIC(anyPower)(FLOAT t, FLOAT u) {
  FLOAT n;
  const INT inRange = fabs(t) < 160.0f;
  const FLOAT p = STATIC(power)(inRange ? t : K(0.0f), inRange ? u : K(0.0f), &n);
  const FLOAT y = STATIC(timesAnyPower)(p, n);
  return inRange ? y : t > 0.0f ? K(INFINITY) : t < 0.0f ? K(0.0f) : t;
}

/// The logarithm's larger part for every a >= 0, NaN too.
static FLOAT STATIC(endsOfLog2)(FLOAT a, FLOAT high) { return a == 0.0f ? K(-INFINITY) : a < INFINITY ? high : a; }

/// Whether a is an ordinary number, and 2^(t + u) a normal one for every small u. What is NaN is not.
static INT STATIC(isOrdinary)(FLOAT a, FLOAT t) { return a > 0.0f && a < INFINITY && fabs(t) < 125.0f; }

FLOAT PURE pow(FLOAT x, FLOAT y) {
  const FLOAT a = fabs(x);
  FLOAT low, n;
  const FLOAT high = STATIC(exactLog2)(a, &low);
  const FLOAT t = y * high, u = fma(y, high, -t) + y * low;
  const FLOAT p = STATIC(power)(t, u, &n);
  FLOAT z = STATIC(timesPower)(p, n);
  const INT ordinary = x > 0.0f && STATIC(isOrdinary)(a, t);
  if (ANY(!ordinary)) {
    const FLOAT half_ = y * 0.5f;
    const INT whole = rint(y) == y, odd = whole && rint(half_) != half_;
    FLOAT w = STATIC(anyPower)(y * STATIC(endsOfLog2)(a, high), u);
    w = AS(AS(w, INT) | (odd ? AS(x, INT) & SIGN : (INT)(0)), FLOAT);
    w = x < 0.0f && a < INFINITY && !whole ? K(NAN) : w;
    // 1 to any power, -1 to an infinite one, and anything to the power of 0.
    w = x == 1.0f || y == 0.0f || (x == -1.0f && fabs(y) == INFINITY) ? K(1.0f) : w;
    z = ordinary ? z : w;
  }
  return z;
}

FLOAT PURE powr(FLOAT x, FLOAT y) {
  FLOAT low, n;
  const FLOAT high = STATIC(exactLog2)(x, &low);
  const FLOAT t = y * high, u = fma(y, high, -t) + y * low;
  const FLOAT p = STATIC(power)(t, u, &n);
  FLOAT z = STATIC(timesPower)(p, n);
  const INT ordinary = STATIC(isOrdinary)(x, t);
  if (ANY(!ordinary)) {
    FLOAT w = STATIC(anyPower)(y * STATIC(endsOfLog2)(fabs(x), high), u);
    w = x < 0.0f ? K(NAN) : w;
    z = ordinary ? z : w;
  }
  return z;
}

FLOAT PURE pown(FLOAT x, INT k) {
  const FLOAT a = fabs(x);
  FLOAT low, n;
  const FLOAT high = STATIC(exactLog2)(a, &low);
  // Both parts of k are exact, and the second is small against the first.
  const INT isShort = AS(k, UINT) + 0x1000000u <= 0x2000000u;
  const FLOAT y = CONVERT(isShort ? k : k & ~127, FLOAT), rest = CONVERT(isShort ? (INT)(0) : k & 127, FLOAT);
  const FLOAT t = y * high, u = fma(y, high, -t) + fma(rest, high, y * low);
  const FLOAT p = STATIC(power)(t, u, &n);
  FLOAT z = STATIC(timesPower)(p, n);
  const INT ordinary = STATIC(isOrdinary)(a, t);
  if (ANY(!ordinary)) {
    const FLOAT w = STATIC(anyPower)(y * STATIC(endsOfLog2)(a, high), u);
    z = ordinary ? z : k == 0 ? K(1.0f) : w;
  }
  return AS(AS(z, INT) | ((k & 1) != 0 ? AS(x, INT) & SIGN : (INT)(0)), FLOAT);
}

FLOAT PURE rootn(FLOAT x, INT k) {
  const FLOAT a = fabs(x);
  FLOAT low, n;
  const FLOAT high = STATIC(exactLog2)(a, &low);
  // The logarithm of the result is tiny if k is not exact as a float.
  const FLOAT divisor = CONVERT(k, FLOAT), y = 1.0f / divisor;
  const FLOAT rest = fma(-y, divisor, K(1.0f)) * y;
  const FLOAT t = y * high, u = fma(y, high, -t) + fma(rest, high, y * low);
  const FLOAT p = STATIC(power)(t, u, &n);
  FLOAT z = STATIC(timesPower)(p, n);
  const INT odd = (k & 1) != 0, ordinary = STATIC(isOrdinary)(a, t) && (odd || x > 0.0f);
  if (ANY(!ordinary)) {
    FLOAT w = STATIC(anyPower)(y * STATIC(endsOfLog2)(a, high), u);
    w = k == 0 || (x < 0.0f && !odd) ? K(NAN) : w;
    z = ordinary ? z : w;
  }
  return AS(AS(z, INT) | (odd ? AS(x, INT) & SIGN : (INT)(0)), FLOAT);
}

/// By Newton's method for 1 / cbrt a, which needs no division, from a third of the exponent on.
FLOAT PURE cbrt(FLOAT x) {
  const FLOAT original = fabs(x);
  const INT denormal = original < 0x1p-126f;
  const FLOAT a = denormal ? original * 0x1p+24f : original;
  // Within 3.5 % of the result: a line through the bits.
  const FLOAT third = CONVERT(AS(a, INT), FLOAT) * -0x1.555556p-2f;
  FLOAT r = AS(CONVERT(third, INT) + 0x54a21d2a, FLOAT);
  FLOAT h = fma(-(a * r), r * r, K(1.0f));
  FLOAT p = fma(h, K(0x1.61f9aep-3f), K(0x1.c71c72p-3f));
  p = fma(h, p, K(0x1.555556p-2f));
  r = fma(r * h, p, r);
  h = fma(-(a * r), r * r, K(1.0f));
  r = fma(r * h, K(0x1.555556p-2f), r);
  const FLOAT square = r * r;
  FLOAT y = a * square;
  // One more step for the root itself, with what its cube lacks.
  y = fma(fma(-y * y, y, a) * square, K(0x1.555556p-2f), y);
  y = denormal ? y * 0x1p-8f : y;
  const INT ends = AS(AS(original, INT) - 1, UINT) >= 0x7f7fffffu;
  return AS(AS(ends ? original : y, INT) | (AS(x, INT) & SIGN), FLOAT);
}
