// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by exponentials.cl for each length of vectors. Polynomials: scripts/polynomials.sollya.

FLOAT PURE rint(FLOAT x);
FLOAT PURE floor(FLOAT x);

/// erfc a = e^(-a^2) q(t) / (1 + 2 a) for a >= 0, where a = 4 (1 + t) / (1 - t); erfc(-a) = 2 - erfc a. The square has
/// two parts.
FLOAT PURE erfc(FLOAT x) {
  const FLOAT magnitude = fabs(x);
  const FLOAT a = magnitude > 10.5f ? K(10.5f) : magnitude;
  const FLOAT inverse = 1.0f / fma(a, fma(a, K(2.0f), K(9.0f)), K(4.0f)); // (a + 4) (1 + 2 a)
  const FLOAT t = (a - 4.0f) * fma(a, K(2.0f), K(1.0f)) * inverse;
  FLOAT p = fma(t, K(0x1.e0e0c8p-11f), K(0x1.d1f6acp-8f));
  p = fma(t, p, K(-0x1.037c12p-6f));
  p = fma(t, p, K(0x1.2a1d24p-5f));
  p = fma(t, p, K(-0x1.111a28p-4f));
  p = fma(t, p, K(0x1.804908p-4f));
  p = fma(t, p, K(-0x1.9d9fe2p-4f));
  p = fma(t, p, K(0x1.16e9c2p-4f));
  p = fma(t, p, K(0x1.f7dce4p-7f));
  p = fma(t, p, K(-0x1.1df1aap-3f));
  p = fma(t, p, K(0x1.3ba592p+0f));
  const FLOAT factor = p * (a + 4.0f) * inverse;
  const FLOAT square = a * a, low = fma(a, a, -square);
  FLOAT n;
  const FLOAT e = STATIC(smallExpm1)(STATIC(lessLn2)(-square, &n) - low) + 1.0f;
  FLOAT y = STATIC(timesPower)(e * factor, n);
  if (ANY(magnitude > 9.0f)) {
    const FLOAT z = STATIC(timesAnyPower)(e * factor, n);
    y = magnitude > 9.0f ? z : y;
  }
  y = x < 0.0f ? 2.0f - y : y;
  return x == x ? y : x;
}

/// sin(pi y) for y >= 0: the sign is that of the fraction, whole numbers give 0.
static FLOAT STATIC(sineOfTurns)(FLOAT y) {
  const FLOAT n = rint(y);
  const FLOAT r = y - n;
  const FLOAT q = r * r;
  // The sine's series, which is short enough: |pi r| <= pi/2.
  FLOAT p = fma(q, K(0x1.407998p-4f), K(-0x1.328004p-1f));
  p = fma(q, p, K(0x1.466b26p+1f));
  p = fma(q, p, K(-0x1.4abbd8p+2f));
  p = fma(q, p, K(0x1.921fb6p+1f));
  const FLOAT s = r * p;
  const INT odd = rint(n * 0.5f) * 2.0f != n;
  return odd ? -s : s;
}

/// By Stirling's formula for y >= 3, to which the recurrence leads: with z = y (y + 1) ... up to there,
/// gamma(y) = sqrt(2 pi) w^(w - 1/2) e^-w c(1/w) / z. Reflection takes what is below -1/2; there the result is
/// -pi / (y sin(pi y) gamma(y)) for y = -x. The power of two is kept apart, for gamma(y) may overflow where the result
/// is a denormal number.
FLOAT PURE tgamma(FLOAT x) {
  const INT reflected = x < -0.5f;
  const FLOAT magnitude = fabs(x);
  FLOAT y = reflected ? magnitude : x;
  y = y > 45.0f ? K(45.0f) : y;
  FLOAT product = y < 3.0f ? y : K(1.0f);
  product = y < 2.0f ? product * (y + 1.0f) : product;
  product = y < 1.0f ? product * (y + 2.0f) : product;
  product = y < 0.0f ? product * (y + 3.0f) : product;
  const FLOAT w = y < 0.0f ? y + 4.0f : y < 1.0f ? y + 3.0f : y < 2.0f ? y + 2.0f : y < 3.0f ? y + 1.0f : y;
  const FLOAT r = 1.0f / w;
  FLOAT c = fma(r, K(-0x1.93fe7ep-12f), K(0x1.ee1394p-11f));
  c = fma(r, c, K(-0x1.0fa1eap-12f));
  c = fma(r, c, K(-0x1.5f0ef0p-9f));
  c = fma(r, c, K(0x1.c7179ep-9f));
  c = fma(r, c, K(0x1.555556p-4f));
  c = fma(r, c, K(1.0f)) * 0x1.40d932p+1f;
  // (w - 1/2) log2 w - w / ln 2
  FLOAT low, n;
  const FLOAT high = STATIC(exactLog2)(w, &low), v = w - 0.5f;
  const FLOAT t = v * high, u = w * -0x1.715476p+0f;
  const FLOAT sum = t + u, back = sum - t;
  FLOAT rest = ((t - (sum - back)) + (u - back)) + fma(v, high, -t) + fma(v, low, w * -0x1.4ae0cp-26f);
  rest -= fma(w, K(0x1.715476p+0f), u);
  const FLOAT p = STATIC(power)(sum, rest, &n) * c;
  const FLOAT sine = STATIC(sineOfTurns)(magnitude);
  const FLOAT numerator = reflected ? product * -0x1.921fb6p+1f : p, denominator = reflected ? y * sine * p : product;
  FLOAT z = numerator / denominator;
  n = reflected ? INTEGERS - (n - INTEGERS) : n;
  const INT ordinary = magnitude > 0x1p-60f && x < 33.0f && x > -33.0f;
  FLOAT result = STATIC(timesPower)(z, n);
  if (ANY(!ordinary)) {
    z = STATIC(timesAnyPower)(z, n);
    z = x > 36.0f ? K(INFINITY) : z;
    // Tiny numbers: 1 / x. Below -42 all is 0, whose sign the sine says; whole numbers have no value there.
    z = magnitude < 0x1p-40f ? 1.0f / x : z;
    z = x < -43.0f ? AS((AS(sine, INT) & SIGN) ^ SIGN, FLOAT) : z;
    result = ordinary ? result : x == x ? z : x;
  }
  return x < 0.0f && sine == 0.0f ? K(NAN) : x == -INFINITY ? K(NAN) : result;
}

/// log(gamma(y)) for y >= -1/2, where log_ is the logarithm of |u|: near 2 a polynomial, to which the recurrence leads,
/// and Stirling's formula from 3 on.
static FLOAT STATIC(recurred)(FLOAT y, FLOAT* factor) {
  *factor = y < 0.5f ? fabs(y * (y + 1.0f)) : y < 1.5f ? y : y < 3.0f ? K(1.0f) : y;
  return y < 0.5f ? y : y < 1.5f ? y - 1.0f : y - 2.0f;
}

static FLOAT STATIC(logGamma)(FLOAT y) {
  FLOAT factor;
  const FLOAT d = STATIC(recurred)(y, &factor);
  const FLOAT l = log(factor);
  FLOAT p = fma(d, K(-0x1.1089bp-15f), K(0x1.070c14p-13f));
  p = fma(d, p, K(-0x1.099c06p-12f));
  p = fma(d, p, K(0x1.07ab7p-11f));
  p = fma(d, p, K(-0x1.34a396p-10f));
  p = fma(d, p, K(0x1.7adce8p-9f));
  p = fma(d, p, K(-0x1.e43ab8p-8f));
  p = fma(d, p, K(0x1.5132a8p-6f));
  p = fma(d, p, K(-0x1.13dfb8p-4f));
  p = fma(d, p, K(0x1.4a34ccp-2f));
  p = fma(d, p, K(0x1.b0ee6p-2f));
  const FLOAT near = fma(d, p, -l);
  const FLOAT r = 1.0f / y;
  FLOAT s = fma(r, K(-0x1.de5774p-12f), K(0x1.f80e82p-11f));
  s = fma(r, s, K(-0x1.1ac3c6p-15f));
  s = fma(r, s, K(-0x1.6b9ef4p-9f));
  s = fma(r, s, K(-0x1.70575ep-23f));
  s = fma(r, s, K(0x1.555556p-4f));
  // log(2 pi) / 2 - 1/2
  const FLOAT far = fma(y - 0.5f, l - 1.0f, fma(r, s, K(0x1.acfe3ap-2f)));
  return y < 3.0f ? near : far;
}

FLOAT PURE lgamma(FLOAT x) {
  const INT reflected = x < -0.5f;
  const FLOAT y = reflected ? -x : x;
  FLOAT z = STATIC(logGamma)(y);
  if (ANY(reflected)) {
    const FLOAT sine = fabs(STATIC(sineOfTurns)(reflected ? y : K(1.0f)));
    const FLOAT w = log(0x1.921fb6p+1f / (y * sine)) - z;
    z = reflected ? (sine == 0.0f || y == INFINITY ? K(INFINITY) : w) : z;
  }
  return z;
}

/// 0 where the gamma function has poles (OpenCL C 3.0, section 7.5.1), and -1 where it is negative.
static INT STATIC(signOfGamma)(FLOAT x) {
  const FLOAT down = floor(x);
  const INT odd = rint(down * 0.5f) * 2.0f != down, isPole = x <= 0.0f && down == x && x > -INFINITY;
  const INT sign = x < 0.0f && odd ? (INT)(-1) : (INT)(1);
  return isPole ? (INT)(0) : sign;
}

#define LGAMMA_R(ADDRESS_SPACE)                                                                                        \
  FLOAT OVERLOAD lgamma_r(FLOAT x, ADDRESS_SPACE INT* sign) {                                                          \
    *sign = STATIC(signOfGamma)(x);                                                                                    \
    return lgamma(x);                                                                                                  \
  }
LGAMMA_R(__private)
LGAMMA_R(__global)
LGAMMA_R(__local)
#undef LGAMMA_R
