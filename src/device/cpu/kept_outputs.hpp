// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace clotho {
struct Launch;
} // namespace clotho

namespace clotho::cpu {

/// A launch's use of one of its buffers.
struct BufferUse {
  std::uint64_t bytes;
  std::atomic<std::uint64_t>* changedAt; ///< MemoryView::changedAt
  bool isOutput = false;                 ///< written only, each line once
  bool isChanged = false;                ///< read and written
};

/// Whether a launch, which begins now, had better leave in the caches what it writes, though it is about as much as
/// they hold. Stores past the caches are quicker where what is written is not soon wanted, or only read. Not so where
/// one kernel writes a buffer that the next one changes in place, again and again, as the parts of a prefix sum do, or
/// a product of matrices and what is applied to each of its elements: then the lines are still there, changed, each
/// time that they are written anew, and the two kernels write as much to memory together as one of them. So the answer
/// is yes where the largest buffer that the launch writes was changed in place after it was last written like this, and
/// launches since then have moved no more than the caches hold. Takes note of both for the next launches, so it must be
/// asked once of each.
bool keepsOutput(std::span<const BufferUse> uses, std::uint64_t cacheBytes) noexcept;

/// Launches of fewer work-items do not empty a cache.
inline constexpr double kFewestKeptItems = 1 << 16;

/// Overload for a launch on the device: false if it has few work-items or many buffers.
bool keepsOutput(const Launch& launch, std::uint64_t cacheBytes) noexcept;

} // namespace clotho::cpu
