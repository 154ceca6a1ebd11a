// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>

namespace clotho {

/// The absolute value of `number`; of the lowest number, which has none, the highest.
constexpr std::int64_t magnitude(std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::min()) return std::numeric_limits<std::int64_t>::max();
  return number < 0 ? -number : number;
}

/// Sums and products of addresses, which wrap around as these do.
constexpr std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrappingDifference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrappingProduct(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

} // namespace clotho
