// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of half for one length of vectors, see half_math.cl.

#define OF_FLOAT(NAME)                                                                                                 \
  FLOAT PURE NAME(FLOAT x);                                                                                            \
  HALF PURE NAME(HALF x) { return TO_HALF(NAME(TO_FLOAT(x))); }

OF_FLOAT(acos)
OF_FLOAT(acosh)
OF_FLOAT(acospi)
OF_FLOAT(asin)
OF_FLOAT(asinh)
OF_FLOAT(asinpi)
OF_FLOAT(atan)
OF_FLOAT(atanh)
OF_FLOAT(atanpi)
OF_FLOAT(cbrt)
OF_FLOAT(cos)
OF_FLOAT(cosh)
OF_FLOAT(erf)
OF_FLOAT(erfc)
OF_FLOAT(exp)
OF_FLOAT(exp10)
OF_FLOAT(exp2)
OF_FLOAT(expm1)
OF_FLOAT(lgamma)
OF_FLOAT(log)
OF_FLOAT(log10)
OF_FLOAT(log1p)
OF_FLOAT(log2)
OF_FLOAT(logb)
OF_FLOAT(sin)
OF_FLOAT(sinh)
OF_FLOAT(sinpi)
OF_FLOAT(tan)
OF_FLOAT(tanh)
OF_FLOAT(tanpi)
OF_FLOAT(tgamma)
#undef OF_FLOAT

#define OF_TWO_FLOATS(NAME)                                                                                            \
  FLOAT PURE NAME(FLOAT x, FLOAT y);                                                                                   \
  HALF PURE NAME(HALF x, HALF y) { return TO_HALF(NAME(TO_FLOAT(x), TO_FLOAT(y))); }

OF_TWO_FLOATS(atan2)
OF_TWO_FLOATS(atan2pi)
OF_TWO_FLOATS(fmod)
OF_TWO_FLOATS(remainder)
#undef OF_TWO_FLOATS

FLOAT PURE ldexp(FLOAT x, INT k);
HALF PURE ldexp(HALF x, INT k) { return TO_HALF(ldexp(TO_FLOAT(x), k)); }

INT PURE ilogb(FLOAT x);
INT PURE ilogb(HALF x) { return ilogb(TO_FLOAT(x)); }

// --- Exact, or rounded once ---

HALF PURE ceil(HALF x) { return __builtin_elementwise_ceil(x); }
HALF PURE copysign(HALF x, HALF y) { return __builtin_elementwise_copysign(x, y); }
HALF PURE fabs(HALF x) { return __builtin_elementwise_abs(x); }
HALF PURE floor(HALF x) { return __builtin_elementwise_floor(x); }
HALF PURE fma(HALF x, HALF y, HALF z) { return __builtin_elementwise_fma(x, y, z); }
HALF PURE fmax(HALF x, HALF y) { return __builtin_elementwise_maxnum(x, y); }
HALF PURE fmin(HALF x, HALF y) { return __builtin_elementwise_minnum(x, y); }
HALF PURE rint(HALF x) { return __builtin_elementwise_rint(x); }
HALF PURE round(HALF x) { return __builtin_elementwise_round(x); }
HALF PURE sqrt(HALF x) { return __builtin_elementwise_sqrt(x); }
HALF PURE trunc(HALF x) { return __builtin_elementwise_trunc(x); }

HALF PURE mad(HALF x, HALF y, HALF z) {
#pragma OPENCL FP_CONTRACT ON
  return x * y + z;
}

HALF PURE fdim(HALF x, HALF y) { return x <= y ? H(0) : x - y; }

HALF PURE maxmag(HALF x, HALF y) {
  const HALF a = fabs(x), b = fabs(y);
  return a > b ? x : b > a ? y : fmax(x, y);
}

HALF PURE minmag(HALF x, HALF y) {
  const HALF a = fabs(x), b = fabs(y);
  return a < b ? x : b < a ? y : fmin(x, y);
}

HALF PURE nan(USHORT code) { return AS((USHORT)(code | (USHORT)(0x7e00)), HALF); }

/// As integers, neighbours of one sign differ by one.
HALF PURE nextafter(HALF x, HALF y) {
  const SHORT bits = AS(x, SHORT);
  const SHORT away = (SHORT)(1), sign = bits & (SHORT)(short)0x8000;
  const HALF toSmallest = AS((SHORT)((AS(y, SHORT) & (SHORT)(short)0x8000) | away), HALF);
  const HALF larger = AS((SHORT)(bits + away), HALF), smaller = AS((SHORT)(bits - away), HALF);
  const HALF next = ((sign != (SHORT)(0)) ? y < x : y > x) ? larger : smaller;
  const HALF result = x == H(0) ? toSmallest : next;
  return x == y ? y : x != x || y != y ? x + y : result;
}

// --- By way of float, rounded once ---

HALF PURE rsqrt(HALF x) { return TO_HALF(K(1) / __builtin_elementwise_sqrt(TO_FLOAT(x))); }
HALF PURE degrees(HALF x) { return TO_HALF(TO_FLOAT(x) * 57.29577951f); }
HALF PURE radians(HALF x) { return TO_HALF(TO_FLOAT(x) * 0.01745329252f); }

// Its zeros are positive.
FLOAT PURE cospi(FLOAT x);
HALF PURE cospi(HALF x) { return TO_HALF(cospi(TO_FLOAT(x)) + K(0)); }

HALF PURE hypot(HALF x, HALF y) {
  const FLOAT a = TO_FLOAT(x), b = TO_FLOAT(y);
  const HALF length = TO_HALF(__builtin_elementwise_sqrt(a * a + b * b));
  return fabs(x) == H(INFINITY) || fabs(y) == H(INFINITY) ? H(INFINITY) : length;
}

HALF PURE mix(HALF x, HALF y, HALF a) { return TO_HALF(TO_FLOAT(x) + (TO_FLOAT(y) - TO_FLOAT(x)) * TO_FLOAT(a)); }

HALF PURE smoothstep(HALF low, HALF high, HALF x) {
  FLOAT t = (TO_FLOAT(x) - TO_FLOAT(low)) / (TO_FLOAT(high) - TO_FLOAT(low));
  t = t < K(0) ? K(0) : t > K(1) ? K(1) : t;
  return TO_HALF(t * t * (K(3) - K(2) * t));
}

// --- Powers: what a float's product with a logarithm loses is below 2^-18 where the result is a half ---

HALF PURE powr(HALF x, HALF y) { return TO_HALF(exp2(TO_FLOAT(y) * log2(TO_FLOAT(x)))); }

/// `magnitude` with the sign of x where the exponent is odd.
static HALF STATIC(signedPower)(FLOAT magnitude, HALF x, SHORT isOdd) {
  const HALF positive = TO_HALF(magnitude);
  return isOdd ? copysign(positive, x) : positive;
}

HALF PURE pow(HALF x, HALF y) {
  const HALF size = fabs(x), halved = y * H(0.5f);
  const SHORT isWhole = rint(y) == y, isOdd = isWhole && rint(halved) != halved;
  const HALF power = STATIC(signedPower)(exp2(TO_FLOAT(y) * log2(TO_FLOAT(size))), x, isOdd);
  const HALF negative = x < H(0) && size < H(INFINITY) && !isWhole ? H(NAN) : power;
  const HALF ofOne = x == H(-1) && fabs(y) == H(INFINITY) ? H(1) : negative;
  return x == H(1) || y == H(0) ? H(1) : ofOne;
}

HALF PURE pown(HALF x, INT n) {
  const FLOAT size = exp2(CONVERT(n, FLOAT) * log2(TO_FLOAT(fabs(x))));
  const HALF power = STATIC(signedPower)(size, x, CONVERT((n & 1), SHORT) != (SHORT)(0));
  return CONVERT((n == 0), SHORT) ? H(1) : power;
}

HALF PURE rootn(HALF x, INT n) {
  const SHORT isOdd = CONVERT((n & 1), SHORT) != (SHORT)(0), isZero = CONVERT((n == 0), SHORT);
  const HALF root = STATIC(signedPower)(exp2(log2(TO_FLOAT(fabs(x))) / CONVERT(n, FLOAT)), x, isOdd);
  return isZero || (x < H(0) && !isOdd) ? H(NAN) : root;
}

// --- Comparisons ---

HALF PURE max(HALF x, HALF y) { return x < y ? y : x; }
HALF PURE min(HALF x, HALF y) { return y < x ? y : x; }
HALF PURE clamp(HALF x, HALF low, HALF high) { return min(max(x, low), high); }
HALF PURE step(HALF edge, HALF x) { return x < edge ? H(0) : H(1); }
HALF PURE sign(HALF x) { return x > H(0) ? H(1) : x < H(0) ? H(-1) : x == H(0) ? x : H(0); }

// --- A second result by pointer ---

static HALF STATIC(fraction)(HALF x, __private HALF* whole) {
  *whole = floor(x);
  const HALF rest = x - *whole;
  const HALF below = rest >= H(1) ? H(0x1.ffcp-1f) : rest; // 1 is what numbers just below zero round to
  return x + x == x ? copysign(H(0), x) : below;           // zeros and infinities
}

static HALF STATIC(parts)(HALF x, __private HALF* whole) {
  *whole = trunc(x);
  return copysign(fabs(x) == H(INFINITY) ? H(0) : x - *whole, x);
}

FLOAT OVERLOAD sincos(FLOAT x, __private FLOAT* cosine);
FLOAT OVERLOAD frexp(FLOAT x, __private INT* exponent);
FLOAT OVERLOAD lgamma_r(FLOAT x, __private INT* sign);
FLOAT OVERLOAD remquo(FLOAT x, FLOAT y, __private INT* quotient);

#define THROUGH(AS)                                                                                                    \
  HALF OVERLOAD fract(HALF x, AS HALF* whole) {                                                                        \
    __private HALF result;                                                                                             \
    const HALF y = STATIC(fraction)(x, &result);                                                                       \
    *whole = result;                                                                                                   \
    return y;                                                                                                          \
  }                                                                                                                    \
  HALF OVERLOAD modf(HALF x, AS HALF* whole) {                                                                         \
    __private HALF result;                                                                                             \
    const HALF y = STATIC(parts)(x, &result);                                                                          \
    *whole = result;                                                                                                   \
    return y;                                                                                                          \
  }                                                                                                                    \
  HALF OVERLOAD sincos(HALF x, AS HALF* cosine) {                                                                      \
    __private FLOAT result;                                                                                            \
    const FLOAT y = sincos(TO_FLOAT(x), &result);                                                                      \
    *cosine = TO_HALF(result);                                                                                         \
    return TO_HALF(y);                                                                                                 \
  }                                                                                                                    \
  WITH_INTEGER_RESULT(frexp, AS)                                                                                       \
  WITH_INTEGER_RESULT(lgamma_r, AS)                                                                                    \
  HALF OVERLOAD remquo(HALF x, HALF y, AS INT* quotient) {                                                             \
    __private INT result;                                                                                              \
    const FLOAT rest = remquo(TO_FLOAT(x), TO_FLOAT(y), &result);                                                      \
    *quotient = result;                                                                                                \
    return TO_HALF(rest);                                                                                              \
  }
#define WITH_INTEGER_RESULT(NAME, AS)                                                                                  \
  HALF OVERLOAD NAME(HALF x, AS INT* second) {                                                                         \
    __private INT result;                                                                                              \
    const FLOAT y = NAME(TO_FLOAT(x), &result);                                                                        \
    *second = result;                                                                                                  \
    return TO_HALF(y);                                                                                                 \
  }

THROUGH(__private)
THROUGH(__local)
THROUGH(__global)
THROUGH(__generic)
#undef THROUGH
#undef WITH_INTEGER_RESULT
