// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace clotho {

/// How many work-items make a row of a launch in one dimension, as a kernel has it that divides its ids: what an
/// integer argument says, or a number.
struct RowLength {
  static constexpr std::uint32_t kNoArgument = UINT32_MAX;
  /// Shorter rows leave lanes empty; longer ones do not fit into an int.
  static constexpr std::uint32_t kLeast = 32, kMost = INT32_MAX;

  std::uint32_t argument = kNoArgument;
  std::uint32_t constant = 0; ///< 0: not known

  bool isArgument() const { return argument != kNoArgument; }
  bool isKnown() const { return isArgument() || constant != 0; }
  bool operator==(const RowLength&) const = default;
};

} // namespace clotho
