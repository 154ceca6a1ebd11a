// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/checks.h"
#include "base/mutex.hpp"
#include "base/reserved_memory.hpp"

#include <cstdint>
#include <vector>

namespace clotho::cpu {

/// Phases of a launch (abi/checks.h): a range of numbers that no other launch of their epoch has.
struct CheckPhases {
  std::uint64_t first = 0;
  std::uint64_t epoch = 0; ///< how often all numbers have been used; cells of another epoch say nothing
};

/// Phases of checked launches and memory for their cells (abi/checks.h). A launch may take cells as another one has
/// left them: their phases are older than its own.
class CheckCells {
 public:
  static CheckCells& get();

  /// Numbers that cells have room for. They begin at 1 again when all are used.
  static constexpr std::uint64_t kPhases = std::uint64_t{1} << (63 - kCellPhaseShift);
  CheckPhases takePhases(std::uint64_t count) noexcept EXCLUDES(mutex_);
  /// At least so many bytes; without a base if there is no memory.
  ReservedMemory take(std::size_t bytes) EXCLUDES(mutex_);
  /// `epoch`: that of the phases which the memory may have.
  void giveBack(ReservedMemory memory, std::uint64_t epoch) noexcept EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::vector<ReservedMemory> free_ GUARDED_BY(mutex_); // of this epoch
  CheckPhases next_ GUARDED_BY(mutex_) = {1, 1};
};

} // namespace clotho::cpu
