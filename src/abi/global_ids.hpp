// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace clotho {

/// The most that small numbers may amount to which are added to a global id before it is an index.
inline constexpr std::uint64_t kRoomForTerms = std::uint64_t{1} << 24;

/// The end of the largest global ids that code may take for ints. Launches with larger ones run code that does not.
inline constexpr std::uint64_t kMostIds = (std::uint64_t{1} << 31) - kRoomForTerms;

} // namespace clotho
