// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

/// Reference functions that the C library lacks or defines otherwise than OpenCL C, for double and long double.
namespace precision {

template <class W> constexpr W kPi = std::numbers::pi_v<W>;
template <class W> constexpr W kNan = std::numeric_limits<W>::quiet_NaN();
template <class W> constexpr W kInfinity = std::numeric_limits<W>::infinity();

/// The reference of operations that must be rounded correctly for doubles. There it is the host's own operation: a long
/// double that is rounded again may differ from it. Floats have a limit and are compared with the unrounded result.
template <class W, class T> W exactForDouble(T native, W wide) {
  return std::is_same_v<T, double> ? static_cast<W>(native) : wide;
}

inline double exponential10(double x) { return exp10(x); }
inline long double exponential10(long double x) { return exp10l(x); }

// powl is far better than nothing says, and the one for 128 bits takes several times as long: it decides where powl
// does not settle the matter.
extern "C" __float128 powf128(__float128, __float128) noexcept;
inline double power(double x, double y) { return std::pow(x, y); }
inline long double power(long double x, long double y) { return static_cast<long double>(powf128(x, y)); }

/// x = n/2 + r with |r| <= 1/4: r and n modulo 4. Exact.
template <class W> W lessHalves(W x, int* n) {
  const W turn = std::fmod(x, W(2));
  const W halves = std::rint(turn * 2);
  *n = static_cast<int>(halves) & 3;
  return turn - halves / 2;
}

template <class W> W sinPi(W x) {
  if (!std::isfinite(x)) return kNan<W>;
  int n = 0;
  const W r = lessHalves(x, &n);
  if (r == 0 && n % 2 == 0) return std::copysign(W(0), x);
  const W angle = kPi<W> * r;
  const W y = n % 2 != 0 ? std::cos(angle) : std::sin(angle);
  return n >= 2 ? -y : y;
}

template <class W> W cosPi(W x) {
  if (!std::isfinite(x)) return kNan<W>;
  int n = 0;
  const W r = lessHalves(x, &n);
  if (r == 0 && n % 2 == 1) return 0;
  const W angle = kPi<W> * r;
  const W y = n % 2 != 0 ? std::sin(angle) : std::cos(angle);
  return n == 1 || n == 2 ? -y : y;
}

/// Zeros at even integers have the sign of x, at odd ones the other; infinities at halves likewise.
template <class W> W tanPi(W x) {
  if (!std::isfinite(x)) return kNan<W>;
  int n = 0;
  const W r = lessHalves(x, &n);
  if (r != 0) {
    const W t = std::tan(kPi<W> * r);
    return n % 2 != 0 ? -1 / t : t;
  }
  if (n % 2 == 0) return n == 0 ? std::copysign(W(0), x) : -std::copysign(W(0), x);
  return n == 1 ? kInfinity<W> : -kInfinity<W>;
}

template <class T> T fraction(T x) {
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return std::copysign(T(0), x);
  if (x == 0) return x;
  return std::fmin(x - std::floor(x), std::nextafter(T(1), T(0)));
}

template <class W> W mantissa(W x) {
  int e = 0;
  return std::frexp(x, &e);
}

template <class W> W exponent(W x) {
  int e = 0;
  if (std::isfinite(x)) static_cast<void>(std::frexp(x, &e));
  return e;
}

/// With OpenCL's values for zero, infinity and NaN.
template <class W> int intExponent(W x) {
  if (x == 0) return INT_MIN;
  if (std::isnan(x) || std::isinf(x)) return INT_MAX;
  return std::ilogb(x);
}

inline double logGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}
inline long double logGamma(long double x) {
  int sign = 0;
  return lgammal_r(x, &sign);
}

/// 0 at the gamma function's poles, as OpenCL C prescribes, and where it leaves the sign free: at NaN and -infinity.
template <class W> W signOfGamma(W x) {
  if (std::isnan(x) || x == 0 || x == -kInfinity<W>) return 0;
  if (x > 0) return 1;
  if (x == std::floor(x)) return 0;
  return std::fmod(std::floor(x), W(2)) != 0 ? -1 : 1;
}

template <class W> W gammaFunction(W x) {
  if (x == -kInfinity<W>) return kNan<W>;
  return std::tgamma(x);
}

template <class W> W largerMagnitude(W x, W y) {
  const W a = std::fabs(x), b = std::fabs(y);
  return a > b ? x : b > a ? y : std::fmax(x, y);
}

template <class W> W smallerMagnitude(W x, W y) {
  const W a = std::fabs(x), b = std::fabs(y);
  return a < b ? x : b < a ? y : std::fmin(x, y);
}

template <class W> W fractionTowardsZero(W x) {
  W whole = 0;
  return std::modf(x, &whole);
}

template <class W> W powerOfPositive(W x, W y, W (*raise)(W, W) = power) {
  if (std::isnan(x) || std::isnan(y) || x < 0) return kNan<W>;
  if (x == 1 && std::isinf(y)) return kNan<W>;
  if (y == 0 && (x == 0 || std::isinf(x))) return kNan<W>;
  return raise(std::fabs(x), y);
}

/// The seven bits that remquo promises, with the quotient's sign; 0 where there is no quotient.
template <class T> T lowBitsOfQuotient(T x, T y) {
  if (!std::isfinite(x) || std::isnan(y) || y == 0) return 0;
  int quotient = 0;
  static_cast<void>(std::remquo(x, y, &quotient));
  // The C library gives three bits; the others are those of the quotient modulo 128.
  const T scale = std::fabs(y);
  T rest = std::fabs(x);
  if (scale < std::numeric_limits<T>::max() / 128) rest = std::fmod(rest, scale * 128);
  const T low = std::fmod(rest, scale);
  T whole = std::round((rest - low) / scale);
  const T twice = low - (scale - low); // exact by Sterbenz or of the right sign
  if (twice > 0 || (twice == 0 && std::fmod(whole, T(2)) != 0)) whole += 1;
  const T bits = std::fmod(whole, T(128));
  return std::signbit(x) != std::signbit(y) ? -bits : bits;
}

template <class W> W root(W x, int k, W (*raise)(W, W) = power) {
  if (k == 0 || std::isnan(x)) return kNan<W>;
  const bool odd = k % 2 != 0;
  if (x < 0 && !odd) return kNan<W>;
  if (x == 0) {
    if (k < 0) return odd ? std::copysign(kInfinity<W>, x) : kInfinity<W>;
    return odd ? x : W(0);
  }
  if (std::isinf(x)) return std::copysign(k < 0 ? W(0) : kInfinity<W>, x);
  // The rounding of 1/k would make an error of |log x| / 2 units; the second factor takes it back.
  const W inverse = W(1) / k;
  const W lost = std::fma(-inverse, W(k), W(1)) / k;
  const W a = std::fabs(x);
  const W y = raise(a, inverse);
  return std::copysign(y + y * lost * std::log(a), x);
}

} // namespace precision
