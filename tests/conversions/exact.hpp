// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// The explicit conversions of OpenCL C (3.0, section 6.4.3), computed with integers alone: no rounding mode, and no
/// conversion, of the machine that runs this takes part.
namespace clotho::conversions {

__extension__ using Wide = unsigned __int128;

/// A scalar type of OpenCL C.
struct Type {
  const char* name;
  unsigned bits;
  bool isReal, isSigned;
  // Format of real types: the digits of a number, the exponents of the smallest number and of the highest power of two.
  int digits = 0, least = 0, greatest = 0;

  std::size_t size() const { return bits / 8; }
  std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - bits); }
  std::uint64_t signBit() const { return std::uint64_t{1} << (bits - 1); }
  std::uint64_t infinity() const { return (signBit() - 1) >> (digits - 1) << (digits - 1); }
  bool isNan(std::uint64_t number) const { return isReal && (number & (signBit() - 1)) > infinity(); }
};

inline constexpr std::array<Type, 11> kTypes{{{"char", 8, false, true},
                                              {"uchar", 8, false, false},
                                              {"short", 16, false, true},
                                              {"ushort", 16, false, false},
                                              {"int", 32, false, true},
                                              {"uint", 32, false, false},
                                              {"long", 64, false, true},
                                              {"ulong", 64, false, false},
                                              {"half", 16, true, true, 11, -24, 15},
                                              {"float", 32, true, true, 24, -149, 127},
                                              {"double", 64, true, true, 53, -1074, 1023}}};

enum class Mode { Default, ToNearest, ToZero, Up, Down };
inline constexpr std::array<const char*, 5> kSuffixes{"", "_rte", "_rtz", "_rtp", "_rtn"};

/// magnitude * 2^exponent, or what is no such number.
struct Exact {
  enum class Kind { Finite, Infinite, Nan } kind = Kind::Finite;
  bool isNegative = false;
  std::uint64_t magnitude = 0;
  int exponent = 0;
};

/// What the bits of a number mean.
Exact decode(const Type& type, std::uint64_t bits);

/// The bits of the number as `type`; nothing where the specification leaves the result open. What does not fit into an
/// integer wraps around if `fromInteger`.
std::optional<std::uint64_t> encode(const Type& type, const Exact& number, Mode mode, bool saturates, bool fromInteger);

} // namespace clotho::conversions
