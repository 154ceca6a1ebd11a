// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by exponentials.cl for each length of vectors.

FLOAT PURE fma(FLOAT x, FLOAT y, FLOAT z);
FLOAT PURE fabs(FLOAT x);

/// p * 2^n for p near 1, where the result is a normal number: n, which INTEGERS was added to, goes to the exponent.
static FLOAT STATIC(timesPower)(FLOAT p, FLOAT shifted) { return AS(AS(p, INT) + (AS(shifted, INT) << 23), FLOAT); }

/// p * 2^n for -300 < n < 300, in two factors, so that denormal results are rounded once.
static FLOAT STATIC(timesAnyPower)(FLOAT p, FLOAT shifted) {
  const INT n = AS(shifted, INT) - 0x4b400000;
  const INT half_ = n >> 1;
  return p * AS((half_ + 127) << 23, FLOAT) * AS((n - half_ + 127) << 23, FLOAT);
}

/// x = n ln 2 + r with |r| <= ln(2)/2.
static FLOAT STATIC(lessLn2)(FLOAT x, FLOAT* shifted) {
  *shifted = fma(x, K(0x1.715476p+0f), INTEGERS);
  const FLOAT n = *shifted - INTEGERS;
  return fma(n, K(0x1.05c61p-29f), fma(n, K(-0x1.62e43p-1f), x));
}

/// e^r - 1 for |r| <= ln(2)/2, relative error 2^-26.2.
static FLOAT STATIC(smallExpm1)(FLOAT r) {
  FLOAT p = fma(r, K(0x1.6d99cep-10f), K(0x1.12288p-7f));
  p = fma(r, p, K(0x1.555486p-5f));
  p = fma(r, p, K(0x1.5554aep-3f));
  p = fma(r, p, K(0.5f));
  return fma(r * r, p, r);
}

FLOAT PURE exp(FLOAT x) {
  FLOAT n;
  const FLOAT p = STATIC(smallExpm1)(STATIC(lessLn2)(x, &n)) + 1.0f;
  FLOAT y = STATIC(timesPower)(p, n);
  if (ANY(!(fabs(x) < 87.0f))) {
    FLOAT z = STATIC(timesAnyPower)(p, n);
    z = x > 89.0f ? K(INFINITY) : x < -104.0f ? K(0.0f) : z;
    y = fabs(x) < 87.0f ? y : z;
  }
  return y;
}

FLOAT PURE exp2(FLOAT x) {
  const FLOAT n = x + INTEGERS;
  const FLOAT r = x - (n - INTEGERS);
  FLOAT p = fma(r, K(0x1.41fcc4p-13f), K(0x1.5f3e58p-10f));
  p = fma(r, p, K(0x1.3b2d4cp-7f));
  p = fma(r, p, K(0x1.c6aee8p-5f));
  p = fma(r, p, K(0x1.ebfbdcp-3f));
  p = fma(r, p, K(0x1.62e43p-1f));
  p = fma(r, p, K(1.0f));
  FLOAT y = STATIC(timesPower)(p, n);
  if (ANY(!(fabs(x) < 126.0f))) {
    FLOAT z = STATIC(timesAnyPower)(p, n);
    z = x > 129.0f ? K(INFINITY) : x < -151.0f ? K(0.0f) : z;
    y = fabs(x) < 126.0f ? y : z;
  }
  return y;
}

FLOAT PURE exp10(FLOAT x) {
  const FLOAT n = fma(x, K(0x1.a934fp+1f), INTEGERS);
  FLOAT r = fma(n - INTEGERS, K(-0x1.344136p-2f), x);
  r = fma(n - INTEGERS, K(0x1.ec10cp-27f), r);
  FLOAT p = fma(r, K(0x1.a68c34p-3f), K(0x1.158470p-1f));
  p = fma(r, p, K(0x1.2bd9d6p+0f));
  p = fma(r, p, K(0x1.046f68p+1f));
  p = fma(r, p, K(0x1.53524ap+1f));
  p = fma(r, p, K(0x1.26bb1cp+1f));
  p = fma(r, p, K(1.0f));
  FLOAT y = STATIC(timesPower)(p, n);
  if (ANY(!(fabs(x) < 37.5f))) {
    FLOAT z = STATIC(timesAnyPower)(p, n);
    z = x > 39.0f ? K(INFINITY) : x < -46.0f ? K(0.0f) : z;
    y = fabs(x) < 37.5f ? y : z;
  }
  return y;
}

/// 2^n e^r - 1 = 2^n (e^r - 1) + (2^n - 1) for n < 128.
static FLOAT STATIC(finiteExpm1)(FLOAT x) {
  FLOAT n;
  const FLOAT p = STATIC(smallExpm1)(STATIC(lessLn2)(x, &n));
  const FLOAT power = STATIC(timesPower)(K(1.0f), n);
  return fma(power, p, power - 1.0f);
}

FLOAT PURE expm1(FLOAT x) {
  FLOAT y = STATIC(finiteExpm1)(x);
  if (ANY(!(fabs(x) < 87.0f))) {
    const FLOAT z = x < 0.0f ? K(-1.0f) : exp(x);
    y = fabs(x) < 87.0f ? y : z;
  }
  // -0 keeps its sign.
  return AS(AS(y, INT) | (AS(x, INT) & SIGN), FLOAT);
}

/// tanh x = t / (t + 2) with t = e^2x - 1; from 10 on it is 1.
FLOAT PURE tanh(FLOAT x) {
  const FLOAT a = fabs(x);
  const FLOAT t = STATIC(finiteExpm1)((a > 10.0f ? K(10.0f) : a) * 2.0f);
  return AS(AS(t / (t + 2.0f), INT) | (AS(x, INT) & SIGN), FLOAT);
}

/// e^a / 2 for a >= 0, which overflows later than e^a.
static FLOAT STATIC(halfExp)(FLOAT a) {
  FLOAT n;
  const FLOAT p = STATIC(smallExpm1)(STATIC(lessLn2)(a, &n)) + 1.0f;
  const FLOAT y = STATIC(timesAnyPower)(p, n - 1.0f);
  return a > 90.0f ? K(INFINITY) : y;
}

/// sinh x = (t + t / (t + 1)) / 2.
FLOAT PURE sinh(FLOAT x) {
  const FLOAT a = fabs(x);
  const FLOAT t = STATIC(finiteExpm1)(a);
  FLOAT y = 0.5f * (t + t / (t + 1.0f));
  if (ANY(!(a < 80.0f))) {
    const FLOAT z = STATIC(halfExp)(a);
    y = a < 80.0f ? y : z;
  }
  return AS(AS(y, INT) | (AS(x, INT) & SIGN), FLOAT);
}

FLOAT PURE cosh(FLOAT x) {
  const FLOAT a = fabs(x);
  FLOAT n;
  const FLOAT p = STATIC(smallExpm1)(STATIC(lessLn2)(a, &n)) + 1.0f;
  const FLOAT e = STATIC(timesPower)(p, n);
  FLOAT y = 0.5f * (e + 1.0f / e);
  if (ANY(!(a < 80.0f))) {
    const FLOAT z = STATIC(halfExp)(a);
    y = a < 80.0f ? y : z;
  }
  return y;
}

/// Below 0.92 a polynomial; from there 1 - e^P(x), where P is a polynomial for the logarithm of 1 - erf x.
FLOAT PURE erf(FLOAT x) {
  const FLOAT a = fabs(x);
  const FLOAT b = a > 4.0f ? K(4.0f) : a;
  FLOAT p = fma(b, K(-0x1.61ea20p-16f), K(0x1.c790dcp-12f));
  p = fma(b, p, K(-0x1.115abcp-8f));
  p = fma(b, p, K(0x1.9b8e74p-6f));
  p = fma(b, p, K(-0x1.bb83e2p-4f));
  p = fma(b, p, K(-0x1.44460cp-1f));
  p = fma(b, p, K(-0x1.2127e4p+0f));
  p = fma(b, p, K(0x1.6e55f6p-13f));
  FLOAT n;
  const FLOAT e = STATIC(smallExpm1)(STATIC(lessLn2)(p, &n));
  const FLOAT power = STATIC(timesPower)(K(1.0f), n);
  const FLOAT far = (1.0f - power) - power * e;
  const FLOAT q = x * x;
  p = fma(q, K(-0x1.3a8aa6p-11f), K(0x1.475758p-8f));
  p = fma(q, p, K(-0x1.b68ff4p-6f));
  p = fma(q, p, K(0x1.ce1abap-4f));
  p = fma(q, p, K(-0x1.8126e8p-2f));
  p = fma(q, p, K(0x1.06eba6p-3f));
  const FLOAT near = fma(a, p, a);
  return AS(AS(a > 0.92f ? far : near, INT) | (AS(x, INT) & SIGN), FLOAT);
}
