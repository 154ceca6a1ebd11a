// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/code_ranges.hpp"

#include <array>
#include <atomic>
#include <new>

namespace clotho::cpu {

namespace {

struct Range {
  std::atomic<std::uintptr_t> begin{0}; // 0: free; 1: being written
  std::atomic<std::uintptr_t> end{0};
};

/// Blocks are only ever added, so a reader may hold any of them.
struct Block {
  std::array<Range, 64> ranges;
  std::atomic<Block*> next{nullptr};
};

constinit Block firstBlock;

} // namespace

bool addCodeRange(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for (Block* block = &firstBlock;;) {
    for (Range& range : block->ranges) {
      std::uintptr_t free = 0;
      if (range.begin.load(std::memory_order_relaxed) == 0 &&
          range.begin.compare_exchange_strong(free, 1, std::memory_order_acquire)) {
        range.end.store(end, std::memory_order_relaxed);
        range.begin.store(begin, std::memory_order_release);
        return true;
      }
    }
    Block* next = block->next.load(std::memory_order_acquire);
    if (!next) {
      auto* fresh = new (std::nothrow) Block;
      if (!fresh) return false;
      if (block->next.compare_exchange_strong(next, fresh, std::memory_order_acq_rel))
        next = fresh;
      else
        delete fresh;
    }
    block = next;
  }
}

void removeCodeRange(std::uintptr_t begin) noexcept {
  for (Block* block = &firstBlock; block; block = block->next.load(std::memory_order_acquire))
    for (Range& range : block->ranges)
      // Programs that share an object may end at once, each to take one entry away, and free entries are used again.
      if (std::uintptr_t mine = begin; range.begin.load(std::memory_order_relaxed) == begin &&
                                       range.begin.compare_exchange_strong(mine, 1, std::memory_order_acquire)) {
        range.end.store(0, std::memory_order_relaxed);
        range.begin.store(0, std::memory_order_release);
        return;
      }
}

bool isKernelCode(std::uintptr_t address) noexcept {
  for (const Block* block = &firstBlock; block; block = block->next.load(std::memory_order_acquire))
    for (const Range& range : block->ranges) {
      std::uintptr_t begin = range.begin.load(std::memory_order_acquire);
      if (begin > 1 && address >= begin && address < range.end.load(std::memory_order_relaxed)) return true;
    }
  return false;
}

} // namespace clotho::cpu
