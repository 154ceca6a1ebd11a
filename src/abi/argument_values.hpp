// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace clotho {

/// What the integers are, among the arguments of a launch, of which its kernel wants to know that
/// (KernelFacts::wantedValues): those by which loops go and ids are divided.
struct ArgumentValues {
  static constexpr unsigned kMost = 4; ///< of a kernel
  /// Longer loops are not unrolled, and dividing by such numbers is rare.
  static constexpr std::uint64_t kMostRounds = 1024;

  std::array<std::uint64_t, kMost> values{}; ///< in the order of the arguments, without sign
  bool areKnown = false;

  bool operator==(const ArgumentValues&) const = default;
};

} // namespace clotho
