// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/functions.hpp"
#include "precision/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace precision {

/// How far a result is from the reference.
struct Error {
  double ulp = 0;
  double allowed = 0; ///< infinite: anything
};

constexpr double kWrong = std::numeric_limits<double>::infinity(); ///< another kind of value: NaN, infinity, sign of 0

/// The distance between neighbours of type T at `x`.
template <class T, class W> W ulpAt(W x) {
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - 1, kMost = std::numeric_limits<T>::max_exponent - 1;
  int e = x == 0 ? kLeast : std::ilogb(x);
  e = std::clamp(e, kLeast, kMost);
  return std::ldexp(W(1), e - (kDigits - 1));
}

/// Specialisation for floats by way of the bits: tests of all floats spend much of their time here.
template <> inline double ulpAt<float>(double x) {
  const auto e = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  return std::bit_cast<double>((std::clamp<std::int64_t>(e, 1023 - 126, 1023 + 127) - 23) << 52);
}

/// Beyond the largest number comes the next power of two, for which infinity stands.
template <class T, class W> double errorInUlp(T result, W reference, bool anySign) {
  if (std::isnan(reference)) return std::isnan(result) ? 0 : kWrong;
  if (std::isnan(result)) return kWrong;
  if (std::isinf(reference)) return std::isinf(result) && (result > 0) == (reference > 0) ? 0 : kWrong;
  if (reference == 0 && result == 0) return anySign || std::signbit(result) == std::signbit(reference) ? 0 : kWrong;
  constexpr W kEnd = W(std::numeric_limits<T>::max()) / (2 - W(std::numeric_limits<T>::epsilon())) * 2;
  const W wide = std::isinf(result) ? std::copysign(kEnd, static_cast<W>(result)) : static_cast<W>(result);
  const W bounded = reference > kEnd ? kEnd : reference < -kEnd ? -kEnd : reference;
  return static_cast<double>(std::fabs(wide - bounded) / ulpAt<T>(bounded));
}

template <class T> bool isTiny(T x) { return x != 0 && std::fabs(x) < std::numeric_limits<T>::min(); }

template <class T, class W> bool isOrdinary(const Function& function, const Values<T>& v, W reference) {
  const bool numbers = std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  const bool tiny = isTiny(v.x) || isTiny(v.y) || isTiny(v.z);
  const W magnitude = std::fabs(reference);
  static_cast<void>(function);
  return numbers && !tiny && (magnitude == 0 || magnitude >= std::numeric_limits<T>::min()) &&
         magnitude <= std::numeric_limits<T>::max();
}

/// Under -cl-fast-relaxed-math there are neither infinities nor NaN, and denormals may be zeros.
template <class T, class W> double relaxedLimit(const Function& function, const Values<T>& v, W reference) {
  const double limit = function.limits[0];
  const double a = std::fabs(v.x), b = std::fabs(v.y), ulp = static_cast<double>(ulpAt<T>(reference));
  const auto near = [](double m) { return m == 0 || (m >= 0x1p-62 && m <= 0x1p+62); };
  switch (function.relaxed) {
  case Relaxed::Same: return limit;
  case Relaxed::Ulp4096: return 4096;
  case Relaxed::Ulp8192: return 8192;
  case Relaxed::Angle: return a <= 3.1415927 ? 0x1p-11 / ulp : kWrong;
  case Relaxed::HalfTurns: return a <= 1 ? 0x1p-11 / ulp : kWrong;
  case Relaxed::Exponent: return 3 + std::floor(2 * a);
  case Relaxed::Logarithm: return v.x >= 0.5 && v.x <= 2 ? 0x1p-21 / ulp : 3;
  case Relaxed::Quotient: return near(a) && near(b) ? 2.5 : kWrong;
  }
  return limit;
}

template <class T, class W>
Error errorOf(const Function& function, bool relaxed, const Values<T>& values, T result, W reference) {
  const double limit = function.limits[sizeof(T) == 8];
  const bool isOwnChoice = limit == kNoLimit;
  Error error{0, isOwnChoice ? kWrong : limit};
  if (function.freedom == Freedom::SmallAngles && !(std::fabs(values.x) <= 0x1p+16)) return error;
  if ((relaxed || (isOwnChoice && function.name.starts_with("native"))) && !isOrdinary(function, values, reference))
    return error;
  error.ulp = errorInUlp(result, reference, relaxed || isOwnChoice || function.freedom == Freedom::SignOfZero);
  if (relaxed && !isOwnChoice) error.allowed = relaxedLimit(function, values, reference);
  // The error says nothing without a limit, as for sines of large angles.
  if (relaxed && error.allowed == kWrong) error.ulp = 0;
  // half_ functions may flush denormals.
  if (function.limits[0] == 8192 && result == 0 && std::fabs(reference) < std::numeric_limits<T>::min()) error.ulp = 0;
  return error;
}

/// How bad an error is: the share of what is allowed, or ulp where that is no share. Where anything is allowed, but not
/// of all arguments, nothing comes near the limit.
inline double shareOf(const Error& error, double limit) {
  if (error.allowed == kWrong) return limit == kNoLimit ? error.ulp : 0;
  return error.allowed > 0 ? error.ulp / error.allowed : error.ulp;
}

} // namespace precision
