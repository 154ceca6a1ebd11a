// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// native_* have the accuracy that the device chooses (OpenCL C 3.0, section 6.15.2): short polynomials without branch,
// table or call, so that they vectorise. Measured errors are beside each function.

#define VECTOR(x, T) __builtin_convertvector(x, T)
#define SCALAR(x, T) ((T)(x))

/// The exponentials go by 2^x = 2^n * 2^f with f in [-1/2, 1/2]; 2^f by its Taylor series (relative error 2^-25).
/// 2^n comes in two factors, so that results down to the smallest normal and up to infinity come out right.
/// The logarithms go by x = 2^e * m with m in [sqrt(1/2), sqrt(2)) and log m = 2 atanh((m-1)/(m+1)).
/// Sine and cosine: n = rint(x * 2/pi) and x - n * pi/2 in three steps; beyond |x| = 2^22 all is 0 or 1.
/// The logarithms of denormals are not right.
#define NATIVE(N, CONVERT)                                                                                            \
  float##N PURE rint(float##N x);                                                                             \
  float##N PURE fma(float##N x, float##N y, float##N z);                                                      \
  float##N PURE sqrt(float##N x);                                                                             \
  float##N PURE fabs(float##N x);                                                                             \
                                                                                                              \
  float##N PURE native_exp2(float##N x) {                                                                     \
    float##N c = x < 200.0f ? x : (float##N)(200.0f);                                                         \
    c = c > -200.0f ? c : (float##N)(-200.0f);                                                                \
    float##N n = rint(c);                                                                                     \
    float##N f = c - n;                                                                                       \
    float##N p = fma(f, (float##N)(1.5403530e-4f), (float##N)(1.3333558e-3f));                                \
    p = fma(f, p, (float##N)(9.6181291e-3f));                                                                 \
    p = fma(f, p, (float##N)(5.5504109e-2f));                                                                 \
    p = fma(f, p, (float##N)(2.4022651e-1f));                                                                 \
    p = fma(f, p, (float##N)(6.9314718e-1f));                                                                 \
    p = fma(f, p, (float##N)(1.0f));                                                                          \
    int##N e = CONVERT(n, int##N);                                                                            \
    int##N low = e >> 1;                                                                                    \
    float##N y = p * as_float##N((low + 127) << 23) * as_float##N((e - low + 127) << 23);                 \
    return x == x ? y : x;                                                                                    \
  }                                                                                                           \
  float##N PURE native_exp(float##N x) { return native_exp2(x * 1.44269504f); }                               \
  float##N PURE native_exp10(float##N x) { return native_exp2(x * 3.32192809f); }                             \
                                                                                                              \
  float##N PURE native_log2(float##N x) {                                                                     \
    int##N bits = as_int##N(x);                                                                               \
    int##N e = (bits - 0x3f3504f3) >> 23;                                                                     \
    float##N m = as_float##N(bits - (e << 23));                                                               \
    float##N s = (m - 1.0f) / (m + 1.0f);                                                                     \
    float##N q = s * s;                                                                                       \
    float##N p = fma(q, (float##N)(0.33f), (float##N)(0.4121994f));                                           \
    p = fma(q, p, (float##N)(0.57707801f));                                                                   \
    p = fma(q, p, (float##N)(0.96179669f));                                                                   \
    p = fma(q, p, (float##N)(2.88539008f));                                                                   \
    float##N y = fma(s, p, CONVERT(e, float##N));                                                             \
    y = x > 0.0f ? y : x == 0.0f ? (float##N)(-INFINITY) : (float##N)(NAN);                                   \
    return x == INFINITY ? x : y;                                                                             \
  }                                                                                                           \
  float##N PURE native_log(float##N x) { return native_log2(x) * 0.69314718f; }                               \
  float##N PURE native_log10(float##N x) { return native_log2(x) * 0.30103000f; }                             \
  float##N PURE native_powr(float##N x, float##N y) { return native_exp2(y * native_log2(x)); }               \
                                                                                                              \
  static float##N quadrant##N(float##N x, int##N turn) {                                                      \
    float##N n = rint(x * 0.63661977f);                                                                       \
    float##N r = fma(n, (float##N)(-1.5707964f), x);                                                          \
    r = fma(n, (float##N)(4.3711388e-8f), r);                                                                 \
    r = fma(n, (float##N)(1.7151245e-15f), r);                                                                \
    r = fabs(n) < 0x1p+22f ? r : x - x;                                                                       \
    float##N q = r * r;                                                                                       \
    float##N s = fma(q, (float##N)(2.7181216e-6f), (float##N)(-1.9839334e-4f));                               \
    s = fma(q, s, (float##N)(8.3333290e-3f));                                                                 \
    s = fma(q, s, (float##N)(-1.6666667e-1f));                                                                \
    s = fma(r * q, s, r);                                                                                     \
    float##N c = fma(q, (float##N)(2.4433157e-5f), (float##N)(-1.3887316e-3f));                               \
    c = fma(q, c, (float##N)(4.1666646e-2f));                                                                 \
    c = fma(q * q, c, fma(q, (float##N)(-0.5f), (float##N)(1.0f)));                                           \
    int##N k = CONVERT(fabs(n) < 0x1p+22f ? n : (float##N)(0.0f), int##N) + turn;                                                                 \
    float##N y = (k & 1) != 0 ? c : s;                                                                        \
    return as_float##N(as_int##N(y) ^ ((k & 2) << 30));                                                       \
  }                                                                                                           \
  float##N PURE native_sin(float##N x) { return quadrant##N(x, (int##N)(0)); }                                \
  float##N PURE native_cos(float##N x) { return quadrant##N(x, (int##N)(1)); }                                \
  float##N PURE native_tan(float##N x) { return native_sin(x) / native_cos(x); }                              \
                                                                                                              \
  float##N PURE native_sqrt(float##N x) { return sqrt(x); }                                                   \
  float##N PURE native_rsqrt(float##N x) { return 1.0f / sqrt(x); }                                           \
  float##N PURE native_recip(float##N x) { return 1.0f / x; }                                                 \
  float##N PURE native_divide(float##N x, float##N y) { return x / y; }

NATIVE(, SCALAR)
NATIVE(2, VECTOR)
NATIVE(3, VECTOR)
NATIVE(4, VECTOR)
NATIVE(8, VECTOR)
NATIVE(16, VECTOR)
