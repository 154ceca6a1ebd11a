// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact.hpp"

#include <algorithm>
#include <bit>

namespace clotho::conversions {
namespace {

int width(std::uint64_t magnitude) { return static_cast<int>(std::bit_width(magnitude)); }

/// The number divided by 2^quantum, without its sign, rounded to an integer. It must be below 2^128.
Wide rounded(const Exact& number, int quantum, Mode mode) {
  const int shift = quantum - number.exponent;
  if (shift <= 0) return Wide{number.magnitude} << -shift;
  // All that is shifted out is less than one half from here on.
  const int places = std::min(shift, 66);
  const Wide below = Wide{number.magnitude} >> places, rest = number.magnitude - (below << places);
  const Wide half = Wide{1} << (places - 1);
  bool away = false;
  switch (mode) {
  case Mode::Default:
  case Mode::ToNearest: away = rest > half || (rest == half && (below & 1) != 0); break;
  case Mode::ToZero: break;
  case Mode::Up: away = rest != 0 && !number.isNegative; break;
  case Mode::Down: away = rest != 0 && number.isNegative; break;
  }
  return below + (away ? 1 : 0);
}

std::optional<std::uint64_t> toInteger(const Type& type, const Exact& number, Mode mode, bool saturates,
                                       bool fromInteger) {
  if (number.kind == Exact::Kind::Nan) return saturates ? std::optional<std::uint64_t>(0) : std::nullopt;
  const std::uint64_t most = type.isSigned ? type.signBit() - 1 : type.mask();
  const std::uint64_t least = type.isSigned ? type.signBit() : 0; // its magnitude, and its bits
  const bool isHuge =
      number.kind == Exact::Kind::Infinite || (number.magnitude != 0 && width(number.magnitude) + number.exponent > 66);
  const Wide result = isHuge ? Wide{1} << 66 : rounded(number, 0, mode == Mode::Default ? Mode::ToZero : mode);
  if (result <= (number.isNegative ? least : most) || (fromInteger && !saturates)) {
    const auto bits = static_cast<std::uint64_t>(result);
    return (number.isNegative ? 0 - bits : bits) & type.mask();
  }
  if (!saturates) return std::nullopt;
  return number.isNegative ? least : most;
}

std::uint64_t toReal(const Type& type, const Exact& number, Mode mode) {
  const std::uint64_t sign = number.isNegative ? type.signBit() : 0;
  if (number.kind == Exact::Kind::Nan) return type.infinity() + 1;
  if (number.kind == Exact::Kind::Infinite) return sign | type.infinity();
  if (number.magnitude == 0) return sign;
  const int top = number.exponent + width(number.magnitude) - 1;
  int quantum = std::max(top - type.digits + 1, type.least);
  auto digits = static_cast<std::uint64_t>(rounded(number, quantum, mode));
  if (width(digits) > type.digits) { // rounded up to the next power of two
    digits >>= 1;
    ++quantum;
  }
  if (quantum + width(digits) - 1 > type.greatest) {
    const bool staysFinite = mode == Mode::ToZero || mode == (number.isNegative ? Mode::Up : Mode::Down);
    return sign | (type.infinity() - (staysFinite ? 1 : 0));
  }
  if (width(digits) < type.digits) return sign | digits; // denormal
  return sign + (static_cast<std::uint64_t>(quantum - type.least) << (type.digits - 1)) + digits;
}

} // namespace

Exact decode(const Type& type, std::uint64_t bits) {
  Exact number;
  number.isNegative = type.isSigned && (bits & type.signBit()) != 0;
  if (!type.isReal) {
    number.magnitude = number.isNegative ? (0 - bits) & type.mask() : bits;
    return number;
  }
  const std::uint64_t rest = bits & (type.signBit() - 1);
  if (rest >= type.infinity()) {
    number.kind = rest > type.infinity() ? Exact::Kind::Nan : Exact::Kind::Infinite;
    return number;
  }
  const auto exponent = static_cast<int>(rest >> (type.digits - 1));
  const std::uint64_t hidden = std::uint64_t{1} << (type.digits - 1);
  number.magnitude = (rest & (hidden - 1)) | (exponent > 0 ? hidden : 0);
  number.exponent = type.least + std::max(exponent - 1, 0);
  return number;
}

std::optional<std::uint64_t> encode(const Type& type, const Exact& number, Mode mode, bool saturates,
                                    bool fromInteger) {
  if (type.isReal) return toReal(type, number, mode);
  return toInteger(type, number, mode, saturates, fromInteger);
}

} // namespace clotho::conversions
