// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by exponentials.cl for each length of vectors.

/// x = 2^e m with m in [sqrt(1/2), sqrt(2)). Where x has no logarithm or an infinite one, e says so: it is added last.
static FLOAT STATIC(mantissa)(FLOAT x, FLOAT* e) {
  INT bits = AS(x, INT);
  INT n = (bits - 0x3f3504f3) >> 23;
  *e = CONVERT(n, FLOAT);
  const INT odd = AS(bits - 0x00800000, UINT) >= 0x7f000000u;
  if (ANY(odd)) {
    const INT scaledBits = AS(x * 0x1p+23f, INT);
    const INT scaled = (scaledBits - 0x3f3504f3) >> 23;
    const FLOAT end = x == 0.0f ? K(-INFINITY) : x == INFINITY ? x : K(NAN);
    const INT denormal = x > 0.0f && x < 0x1p-126f;
    *e = odd ? (denormal ? CONVERT(scaled - 23, FLOAT) : end) : *e;
    bits = odd ? scaledBits : bits;
    n = odd ? scaled : n;
  }
  return AS(bits - (n << 23), FLOAT);
}

/// log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)).
static FLOAT STATIC(smallLog1p)(FLOAT f) {
  FLOAT p = fma(f, K(-0x1.41fce4p-4f), K(0x1.07dabap-3f));
  p = fma(f, p, K(-0x1.0ce228p-3f));
  p = fma(f, p, K(0x1.226d08p-3f));
  p = fma(f, p, K(-0x1.547844p-3f));
  p = fma(f, p, K(0x1.99a5a2p-3f));
  p = fma(f, p, K(-0x1.000220p-2f));
  p = fma(f, p, K(0x1.55554ap-2f));
  p = fma(f, p, K(-0.5f));
  return fma(f * f, p, f);
}

/// Both parts of ln 2 are positive, so that an infinite exponent stays one; so below.
static FLOAT STATIC(plusExponent)(FLOAT y, FLOAT e) { return fma(e, K(0x1.62e42p-1f), fma(e, K(0x1.fdf474p-22f), y)); }

FLOAT PURE log(FLOAT x) {
  FLOAT e;
  const FLOAT y = STATIC(smallLog1p)(STATIC(mantissa)(x, &e) - 1.0f);
  return STATIC(plusExponent)(y, e);
}

FLOAT PURE log2(FLOAT x) {
  FLOAT e;
  const FLOAT y = STATIC(smallLog1p)(STATIC(mantissa)(x, &e) - 1.0f);
  return e + fma(y, K(0x1.715476p+0f), y * K(0x1.4ae0cp-26f));
}

FLOAT PURE log10(FLOAT x) {
  FLOAT e;
  const FLOAT y = STATIC(smallLog1p)(STATIC(mantissa)(x, &e) - 1.0f);
  const FLOAT z = fma(y, K(0x1.bcb7b2p-2f), y * K(-0x1.5b235ep-27f));
  return fma(e, K(0x1.3441p-2f), fma(e, K(0x1.a84fbcp-21f), z));
}

/// The part of x that 1 + x loses is added to the mantissa.
FLOAT PURE log1p(FLOAT x) {
  const FLOAT u = 1.0f + x;
  const FLOAT lost = x - (u - 1.0f);
  const INT bits = AS(u, INT);
  const INT n = (bits - 0x3f3504f3) >> 23;
  FLOAT e = CONVERT(n, FLOAT);
  FLOAT f = (AS(bits - (n << 23), FLOAT) - 1.0f) + lost * AS(0x3f800000 - (n << 23), FLOAT);
  const INT odd = AS(bits - 0x00800000, UINT) >= 0x7f000000u || n > 60;
  if (ANY(odd)) {
    const FLOAT end = u == 0.0f ? K(-INFINITY) : u == INFINITY ? u : K(NAN);
    e = odd && !(u > 0.0f && u < INFINITY) ? end : e;
    f = odd ? AS(bits - (n << 23), FLOAT) - 1.0f : f;
  }
  const FLOAT y = STATIC(plusExponent)(STATIC(smallLog1p)(f), e);
  return AS(AS(y, INT) | (AS(x, INT) & SIGN), FLOAT);
}
