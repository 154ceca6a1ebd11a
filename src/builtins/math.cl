// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Functions that libclc gets wrong, or in which it flushes denormals: a device of full profile on a CPU keeps them.
// LIBCLC(name) is libclc's version of a function that is replaced here: tools/builtins keeps it under that name when it
// is declared.
#define LIBCLC(MANGLED) __asm("libclc." #MANGLED)

/// A function of vectors by way of its halves, down to the scalar one.
#define VECTORS(F, T)                                                            \
  T##2 PURE F(T##2 x) { return (T##2)(F(x.x), F(x.y)); }                         \
  T##3 PURE F(T##3 x) { return (T##3)(F(x.xy), F(x.z)); }                        \
  T##4 PURE F(T##4 x) { return (T##4)(F(x.lo), F(x.hi)); }                       \
  T##8 PURE F(T##8 x) { return (T##8)(F(x.lo), F(x.hi)); }                       \
  T##16 PURE F(T##16 x) { return (T##16)(F(x.lo), F(x.hi)); }

#define WIDTHS(M) M(2, VECTOR) M(3, VECTOR) M(4, VECTOR) M(8, VECTOR) M(16, VECTOR) M(, SCALAR)
#define VECTOR(x, T) __builtin_convertvector(x, T)
#define SCALAR(x, T) ((T)(x))

// --- fmax and fmin: libclc orders zeros by their signs, which OpenCL does not ask for and takes as long again ---

#define EXTREMES(T)                                                  \
  T PURE fmax(T x, T y) { return __builtin_elementwise_maxnum(x, y); } \
  T PURE fmin(T x, T y) { return __builtin_elementwise_minnum(x, y); }
#define EXTREMES_WITH_SCALAR(T, N)                                  \
  EXTREMES(T##N)                                                    \
  T##N PURE fmax(T##N x, T y) { return fmax(x, (T##N)(y)); }         \
  T##N PURE fmin(T##N x, T y) { return fmin(x, (T##N)(y)); }
#define EXTREMES_OF(T)                                                                           \
  EXTREMES(T) EXTREMES_WITH_SCALAR(T, 2) EXTREMES_WITH_SCALAR(T, 3) EXTREMES_WITH_SCALAR(T, 4)    \
  EXTREMES_WITH_SCALAR(T, 8) EXTREMES_WITH_SCALAR(T, 16)
EXTREMES_OF(float)
EXTREMES_OF(double)

// --- ldexp of float: by a double power of two, which rounds denormal results once ---

#define LDEXP(N, CONVERT)                                                                            \
  float##N PURE ldexp(float##N x, int##N k) {                                                        \
    k = k < 400 ? k : (int##N)(400);                                                                 \
    k = k > -400 ? k : (int##N)(-400);                                                               \
    double##N power = as_double##N((CONVERT(k, long##N) + 1023) << 52);                              \
    return CONVERT(CONVERT(x, double##N) * power, float##N);                                         \
  }
WIDTHS(LDEXP)

float2 PURE ldexp(float2 x, int k) { return ldexp(x, (int2)(k)); }
float3 PURE ldexp(float3 x, int k) { return ldexp(x, (int3)(k)); }
float4 PURE ldexp(float4 x, int k) { return ldexp(x, (int4)(k)); }
float8 PURE ldexp(float8 x, int k) { return ldexp(x, (int8)(k)); }
float16 PURE ldexp(float16 x, int k) { return ldexp(x, (int16)(k)); }

// --- ldexp of double: libclc loses NaN, and its sums of exponents overflow ---

#define LDEXP_DOUBLE(N, MANGLED)                                                                     \
  double##N OVERLOAD libclcLdexp(double##N x, int##N k) LIBCLC(_Z5ldexp##MANGLED);                   \
  double##N PURE ldexp(double##N x, int##N k) {                                                      \
    k = k < 2200 ? k : (int##N)(2200);                                                               \
    k = k > -2200 ? k : (int##N)(-2200);                                                             \
    return x == x ? libclcLdexp(x, k) : x;                                                           \
  }

LDEXP_DOUBLE(, di)
LDEXP_DOUBLE(2, Dv2_dDv2_i)
LDEXP_DOUBLE(3, Dv3_dDv3_i)
LDEXP_DOUBLE(4, Dv4_dDv4_i)
LDEXP_DOUBLE(8, Dv8_dDv8_i)
LDEXP_DOUBLE(16, Dv16_dDv16_i)

double2 PURE ldexp(double2 x, int k) { return ldexp(x, (int2)(k)); }
double3 PURE ldexp(double3 x, int k) { return ldexp(x, (int3)(k)); }
double4 PURE ldexp(double4 x, int k) { return ldexp(x, (int4)(k)); }
double8 PURE ldexp(double8 x, int k) { return ldexp(x, (int8)(k)); }
double16 PURE ldexp(double16 x, int k) { return ldexp(x, (int16)(k)); }

// --- Odd functions of double that lose the sign of zero ---

#define ODD(NAME, LENGTH, N, MANGLED)                                                                \
  double##N OVERLOAD libclc_##NAME(double##N x) LIBCLC(_Z##LENGTH##NAME##MANGLED);                   \
  double##N PURE NAME(double##N x) { return x == 0.0 ? x : libclc_##NAME(x); }

#define ODD_WIDTHS(NAME, LENGTH)  \
  ODD(NAME, LENGTH, , d)          \
  ODD(NAME, LENGTH, 2, Dv2_d)     \
  ODD(NAME, LENGTH, 3, Dv3_d)     \
  ODD(NAME, LENGTH, 4, Dv4_d)     \
  ODD(NAME, LENGTH, 8, Dv8_d)     \
  ODD(NAME, LENGTH, 16, Dv16_d)

ODD_WIDTHS(asin, 4)
ODD_WIDTHS(asinpi, 6)
ODD_WIDTHS(atan, 4)
ODD_WIDTHS(atanpi, 6)
ODD_WIDTHS(erf, 3)
ODD_WIDTHS(expm1, 5)
ODD_WIDTHS(sin, 3)
ODD_WIDTHS(tan, 3)

// --- sincos of double: of the functions that keep the sign of zero ---

#define SINCOS_IN(N, AS)                                                                             \
  double##N OVERLOAD sincos(double##N x, AS double##N* cosine) {                                     \
    *cosine = cos(x);                                                                                \
    return sin(x);                                                                                   \
  }
#define SINCOS(N, CONVERT)                                                                           \
  double##N PURE cos(double##N x);                                                                   \
  SINCOS_IN(N, __private)                                                                            \
  SINCOS_IN(N, __global)                                                                             \
  SINCOS_IN(N, __local)
WIDTHS(SINCOS)

// --- fract: of zeros and infinities it is a zero of their sign ---

#define FRACT_IN(T, I, SIGN, LAST, AS)                                                               \
  T OVERLOAD fract(T x, AS T* whole) {                                                               \
    const T down = floor(x);                                                                         \
    T y = x - down;                                                                                  \
    y = y >= LAST ? (T)(LAST) : y;                                                                   \
    y = x + x == x ? __builtin_astype(__builtin_astype(x, I) & SIGN, T) : y;                         \
    *whole = down;                                                                                   \
    return y;                                                                                        \
  }
#define FRACT_T(T, I, SIGN, LAST)                                                                    \
  T PURE floor(T x);                                                                                 \
  FRACT_IN(T, I, SIGN, LAST, __private)                                                              \
  FRACT_IN(T, I, SIGN, LAST, __global)                                                               \
  FRACT_IN(T, I, SIGN, LAST, __local)
#define FRACT(N, CONVERT)                                                                            \
  FRACT_T(float##N, int##N, (int)0x80000000, 0x1.fffffep-1f)                                         \
  FRACT_T(double##N, long##N, (long)0x8000000000000000, 0x1.fffffffffffffp-1)
WIDTHS(FRACT)

// --- sinpi, cospi, tanpi: the signs of zeros (OpenCL C 3.0, section 7.5.1) ---

#define AT_INTEGERS(T, MANGLED)                                                                      \
  T OVERLOAD libclcSinpi(T x) LIBCLC(_Z5sinpi##MANGLED);                                             \
  T OVERLOAD libclcCospi(T x) LIBCLC(_Z5cospi##MANGLED);                                             \
  T OVERLOAD libclcTanpi(T x) LIBCLC(_Z5tanpi##MANGLED);                                             \
  T PURE rint(T x);                                                                                  \
  T PURE copysign(T x, T y);                                                                         \
  T PURE sinpi(T x) {                                                                                \
    T y = libclcSinpi(x);                                                                            \
    return y == 0 ? copysign(y, x) : y;                                                              \
  }                                                                                                  \
  T PURE cospi(T x) { return libclcCospi(x) + 0; }                                                   \
  T PURE tanpi(T x) {                                                                                \
    T y = libclcTanpi(x);                                                                            \
    T sign = rint(x / 2) * 2 == x ? x : -x;                                                          \
    return y == 0 ? copysign(y, sign) : y;                                                           \
  }

AT_INTEGERS(float, f)
AT_INTEGERS(float2, Dv2_f)
AT_INTEGERS(float3, Dv3_f)
AT_INTEGERS(float4, Dv4_f)
AT_INTEGERS(float8, Dv8_f)
AT_INTEGERS(float16, Dv16_f)
AT_INTEGERS(double, d)
AT_INTEGERS(double2, Dv2_d)
AT_INTEGERS(double3, Dv3_d)
AT_INTEGERS(double4, Dv4_d)
AT_INTEGERS(double8, Dv8_d)
AT_INTEGERS(double16, Dv16_d)

// --- pow, powr of double: libclc is wrong for |y| > 2^106, where 2^100 does as well: odd no more, and every base but
// 1 and -1 ends at 0 or infinity ---

#define POWERS(N, MANGLED, DOUBLE)                                                                   \
  double##N OVERLOAD libclcPow(double##N x, double##N y) LIBCLC(_Z3pow##MANGLED);                    \
  double##N OVERLOAD libclcPowr(double##N x, double##N y) LIBCLC(_Z4powr##MANGLED);                  \
  static double##N tame##N(double##N y) {                                                            \
    y = y > 0x1p+100 && y < INFINITY ? (double##N)(0x1p+100) : y;                                    \
    return y < -0x1p+100 && y > -INFINITY ? (double##N)(-0x1p+100) : y;                              \
  }                                                                                                  \
  double##N PURE pow(double##N x, double##N y) { return libclcPow(x, tame##N(y)); }                  \
  double##N PURE powr(double##N x, double##N y) { return libclcPowr(x, tame##N(y)); }

POWERS(, dd, )
POWERS(2, Dv2_dS_, )
POWERS(3, Dv3_dS_, )
POWERS(4, Dv4_dS_, )
POWERS(8, Dv8_dS_, )
POWERS(16, Dv16_dS_, )

// --- tgamma: Stirling's series ---

double PURE pow(double x, double y);
double PURE fma(double x, double y, double z);
double PURE exp(double x);
double PURE log(double x);
double PURE sinpi(double x);
double PURE floor(double x);
double PURE fabs(double x);

/// Gamma(x) = factor * exponential * halfPower^2 for positive x; the product of any two is in range. The series is for
/// y = x + n >= 10, from where the recurrence leads back. What x + n loses of x comes back by Gamma's derivative.
static double stirling(double x, double* halfPower, double* exponential) {
  // Ten factors and products would lose ten units.
  double product = 1.0, missing = 0.0, n = 0.0;
  for (int i = 0; i < 10; ++i) {
    const double factor = x + (double)i, next = product * factor;
    const double more = fma(missing, factor, fma(product, factor, -next) + product * (x - (factor - (double)i)));
    missing = factor < 10.0 ? more : missing;
    product = factor < 10.0 ? next : product;
    n = factor < 10.0 ? n + 1.0 : n;
  }
  const double y = x + n, lost = x - (y - n);
  const double r = 1.0 / y, q = r * r;
  double s = r * (1.0 / 12 + q * (-1.0 / 360 + q * (1.0 / 1260 + q * (-1.0 / 1680 + q * (1.0 / 1188 +
             q * (-691.0 / 360360 + q * (1.0 / 156)))))));
  s = s + s * s * (0.5 + s * (1.0 / 6 + s * (1.0 / 24 + s * (1.0 / 120))));
  s = s + lost * (log(y) - 0.5 * r) - missing / product;
  *halfPower = pow(y, 0.5 * (y - 0.5));
  *exponential = exp(-y);
  return 2.5066282746310005 * (1.0 + s) / product;
}

double PURE tgamma(double x) {
  if (!(fabs(x) >= 0x1p-54)) return 1.0 / x;  // NaN too, and zeros give infinities
  if (x > 172.0) return INFINITY;
  if (x < 0.0 && x == floor(x)) return NAN;
  if (x < -184.0) return sinpi(x) < 0.0 ? -0.0 : 0.0;
  double p, e;
  const double s = stirling(fabs(x), &p, &e);
  if (x > 0.0) return s * e * p * p;
  // Reflection: Gamma(-x) = -pi / (x sin(pi x) Gamma(x)), divided in steps, since Gamma(x) may overflow where the result
  // is a denormal.
  return 3.141592653589793 / (sinpi(x) * -x * (s * e * p)) / p;
}
VECTORS(tgamma, double)

// --- rsqrt: what the compiler knows as one over a root ---

#define RSQRT(N, CONVERT)                                                                            \
  float##N PURE sqrt(float##N x);                                                                    \
  float##N PURE rsqrt(float##N x) { return 1.0f / sqrt(x); }
WIDTHS(RSQRT)

// --- lgamma_r of double: libclc says 1 or -1 at the poles ---

#define LGAMMA_R(N, MANGLED, CONVERT)                                                                                \
  double##N OVERLOAD libclcLgammaR(double##N x, __private int##N* sign) LIBCLC(_Z8lgamma_r##MANGLED);                \
  LGAMMA_R_OF(N, __private, CONVERT)                                                                                 \
  LGAMMA_R_OF(N, __global, CONVERT)                                                                                  \
  LGAMMA_R_OF(N, __local, CONVERT)

#define LGAMMA_R_OF(N, AS, CONVERT)                                                                                  \
  double##N OVERLOAD lgamma_r(double##N x, AS int##N* sign) {                                                        \
    __private int##N s;                                                                                              \
    const double##N y = libclcLgammaR(x, &s);                                                                        \
    const long##N isPole = x <= 0.0 && __builtin_elementwise_floor(x) == x && x > -INFINITY;                         \
    *sign = CONVERT(isPole, int##N) != 0 ? (int##N)(0) : s;                                                          \
    return y;                                                                                                        \
  }

LGAMMA_R(, dPi, SCALAR)
LGAMMA_R(2, Dv2_dPDv2_i, VECTOR)
LGAMMA_R(3, Dv3_dPDv3_i, VECTOR)
LGAMMA_R(4, Dv4_dPDv4_i, VECTOR)
LGAMMA_R(8, Dv8_dPDv8_i, VECTOR)
LGAMMA_R(16, Dv16_dPDv16_i, VECTOR)

// --- normalize of scalars: libclc has 0 for NaN (section 7.5.1) ---

#define NORMALIZE(T, MANGLED)                                     \
  T OVERLOAD libclcNormalize(T x) LIBCLC(_Z9normalize##MANGLED);  \
  T PURE normalize(T x) { return x != x ? x : libclcNormalize(x); }

NORMALIZE(float, f)
NORMALIZE(double, d)
