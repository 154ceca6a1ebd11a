// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/reserved_memory.hpp"

#include <vector>

namespace clotho::cpu {

/// Memory for the cells of checked launches (abi/checks.h). A launch may take cells as another one has left them: their
/// phases are older than its own.
class CheckCells {
 public:
  static CheckCells& get();

  /// At least so many bytes; without a base if there is no memory.
  ReservedMemory take(std::size_t bytes) EXCLUDES(mutex_);
  void giveBack(ReservedMemory memory) noexcept EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::vector<ReservedMemory> free_ GUARDED_BY(mutex_);
};

} // namespace clotho::cpu
