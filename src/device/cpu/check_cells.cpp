// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/check_cells.hpp"

#include <algorithm>
#include <new>

namespace clotho::cpu {

CheckCells& CheckCells::get() {
  static auto* const cells = new CheckCells; // outlives the last launch
  return *cells;
}

CheckPhases CheckCells::takePhases(std::uint64_t count) noexcept {
  MutexLock lock(mutex_);
  if (count >= kPhases - next_.first) {
    next_ = {1, next_.epoch + 1};
    for (ReservedMemory& memory : free_)
      memory.release();
    free_.clear();
  }
  const CheckPhases taken = next_;
  next_.first += std::min(count, kPhases - 1);
  return taken;
}

ReservedMemory CheckCells::take(std::size_t bytes) {
  {
    MutexLock lock(mutex_);
    // The smallest that is large enough, so that few pages are touched.
    auto best = free_.end();
    for (auto at = free_.begin(); at != free_.end(); ++at)
      if (at->size() >= bytes && (best == free_.end() || at->size() < best->size())) best = at;
    if (best != free_.end()) {
      const ReservedMemory found = *best;
      free_.erase(best);
      return found;
    }
  }
  ReservedMemory memory = ReservedMemory::reserve(bytes);
  if (memory.base() && !memory.makeUsable(0, memory.size())) {
    memory.release();
    return {};
  }
  return memory;
}

void CheckCells::giveBack(ReservedMemory memory, std::uint64_t epoch) noexcept {
  constexpr std::size_t kMostKept = 16;
  MutexLock lock(mutex_);
  if (epoch != next_.epoch) return memory.release();
  try {
    free_.push_back(memory);
  } catch (const std::bad_alloc&) {
    return memory.release();
  }
  if (free_.size() <= kMostKept) return;
  const auto largest = std::ranges::max_element(free_, {}, &ReservedMemory::size);
  largest->release();
  free_.erase(largest);
}

} // namespace clotho::cpu
