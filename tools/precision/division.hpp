// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace precision {

// Local to each file, as peers.cpp is compiled with instructions that others must not get.
namespace {

/// A number's magnitude as an integer times a power of two, by its bits.
struct Parts {
  std::uint64_t whole;
  int exponent;
};

inline Parts partsOf(float x) {
  std::uint32_t bits = 0;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const std::uint32_t e = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
  return {e == 0 ? fraction : fraction | 0x800000, static_cast<int>(e == 0 ? 1 : e) - 150};
}

inline Parts partsOf(double x) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const std::uint64_t e = bits >> 52 & 0x7ff, fraction = bits & 0xfffffffffffff;
  return {e == 0 ? fraction : fraction | 0x10000000000000, static_cast<int>(e == 0 ? 1 : e) - 1075};
}

/// The magnitudes' quotient modulo 128, and what is left, which is less than y.
struct Quotient {
  Parts rest;
  unsigned low;
};

/// kStep bits at a time, where the C library takes one after the other; `Wide` holds a significand and as many bits.
template <class Wide, int kStep> Quotient quotientOf(const Parts& x, const Parts& y) {
  int left = x.exponent - y.exponent;
  if (left < 0) return {x, 0};
  auto low = static_cast<unsigned>(x.whole / y.whole);
  std::uint64_t rest = x.whole % y.whole;
  for (; left > 0; left -= kStep) {
    const int step = left < kStep ? left : kStep;
    const Wide wide = static_cast<Wide>(rest) << step;
    const auto digits = static_cast<std::uint64_t>(wide / y.whole);
    low = (step < 7 ? low << step : 0) + static_cast<unsigned>(digits);
    rest = static_cast<std::uint64_t>(wide - static_cast<Wide>(digits) * y.whole);
  }
  return {{rest, y.exponent}, low & 127};
}

inline double valueOf(const Parts& parts) { return __builtin_ldexp(static_cast<double>(parts.whole), parts.exponent); }

inline Quotient quotientOf(float x, float y) { return quotientOf<std::uint64_t, 40>(partsOf(x), partsOf(y)); }
inline Quotient quotientOf(double x, double y) { return quotientOf<unsigned __int128, 64>(partsOf(x), partsOf(y)); }

inline long double widen(double x) { return x; }
inline double widen(float x) { return x; }

/// fmod of numbers, where y is not 0.
template <class T> auto restOf(T x, T y) {
  return __builtin_copysign(valueOf(quotientOf(x, y).rest), static_cast<double>(x));
}

/// The quotient rounded to the nearest integer, halves to even: the remainder, and the low bits, with their sign.
template <class T> struct Nearest {
  double rest;
  int quotient;
};

template <class T> Nearest<T> nearestOf(T x, T y) {
  const Quotient q = quotientOf(x, y);
  const auto size = widen(y < 0 ? -y : y);
  auto rest = widen(T(0)) + valueOf(q.rest);
  unsigned low = q.low;
  if (2 * rest > size || (2 * rest == size && (low & 1) != 0)) {
    rest -= size;
    low = (low + 1) & 127;
  }
  const bool isNegative = __builtin_signbit(x) != 0;
  const auto bits = static_cast<int>(low);
  return {static_cast<double>(isNegative ? -rest : rest), isNegative != (__builtin_signbit(y) != 0) ? -bits : bits};
}

} // namespace

} // namespace precision
