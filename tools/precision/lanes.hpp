// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only for peers.cpp and marks.cpp, which are compiled several times: all is local to the file, and what is done with
// one element is without branches, for the compiler to make vectors of.
#pragma once

#include "precision/peers.hpp"

#include <cstddef>
#include <cstdint>

namespace precision {

namespace {

constexpr double kInfinity = __builtin_inf();
constexpr double kUnknown = __builtin_nan("");
constexpr float kUnknownFloat = __builtin_nanf("");

/// Without the branches of && and ||.
inline bool all(bool a, bool b) { return (static_cast<int>(a) & static_cast<int>(b)) != 0; }
inline bool any(bool a, bool b) { return (static_cast<int>(a) | static_cast<int>(b)) != 0; }

inline float magnitude(float x) { return __builtin_fabsf(x); }
inline bool isFinite(float x) { return magnitude(x) <= __FLT_MAX__; }
inline float least(float x, float y) { return x < y ? x : y; }

inline std::uint64_t bitsOf(double x) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline double fromBits(std::uint64_t bits) {
  double x = 0;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/// As frexp's, of numbers but 0. Denormal floats are normal doubles.
inline double mantissa(float x) { return fromBits((bitsOf(x) & 0x800fffffffffffffU) | (std::uint64_t(1022) << 52)); }

/// As ilogb's.
inline double exponent(float x) {
  return static_cast<double>(static_cast<std::int32_t>(bitsOf(x) >> 52 & 0x7ff) - 1023);
}

/// x * 2^k is a double without rounding where it is neither surely 0 nor surely infinite.
inline float scaled(float x, int k) {
  const int bounded = k < -400 ? -400 : k > 400 ? 400 : k;
  return static_cast<float>(x * fromBits(static_cast<std::uint64_t>(bounded + 1023) << 52));
}

/// Halves away from 0.
inline float rounded(float x) {
  const float whole = __builtin_truncf(x);
  const float more = magnitude(x - whole) >= 0.5F ? __builtin_copysignf(1, x) : 0.0F;
  return __builtin_copysignf(whole + more, x);
}

/// The float next to x in the direction of y. x and y differ, and x is not 0.
inline float neighbour(float x, float y) {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, &x, sizeof bits);
  bits += (x < y) == (x > 0) ? 1 : -1;
  float next = 0;
  __builtin_memcpy(&next, &bits, sizeof next);
  return next;
}

inline bool isOdd(float whole) { return whole - 2 * __builtin_floorf(whole * 0.5F) != 0; }

inline float signOfGamma(float x) {
  const float whole = __builtin_floorf(x);
  const float below = x == whole ? 0.0F : isOdd(whole) ? -1.0F : 1.0F;
  return x > 0 ? 1.0F : below;
}

/// The gamma function between negative integers, where it is nearly 0.
inline double vanishingGamma(float x) { return isOdd(__builtin_floorf(x)) ? -0.0 : 0.0; }

/// An expression of one element on a block.
template <class F> void each(F&& element) {
#ifdef __clang__
#pragma clang loop vectorize(enable)
#endif
  for (std::size_t i = 0; i < kBlock; ++i)
    element(i);
}

} // namespace

} // namespace precision
