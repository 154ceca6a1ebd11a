// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace clotho::cpu {

/// The unclaimed units of a task, as one contiguous range a participant: each takes chunks from the front of its own,
/// and half of the largest other one when that is used up. With more participants than slots some share a slot.
/// A slot's word is its whole state, so a change that compares equal is legal whatever happened between.
class WorkRanges {
 public:
  static constexpr std::uint32_t kSlots = 16;
  static constexpr std::uint32_t kMaxUnits = 0x7fffffff;

  /// Units [first, end).
  struct Chunk {
    std::uint32_t first = 0, end = 0;
    std::uint32_t size() const { return end - first; }
    explicit operator bool() const { return first < end; }
  };

  /// Not thread-safe: before the task is published.
  void init(std::uint32_t units, std::uint32_t slots) noexcept {
    slots_ = std::clamp<std::uint32_t>(slots, 1, kSlots);
    std::uint64_t first = 0;
    for (std::uint32_t i = 0; i < slots_; ++i) {
      std::uint64_t end = std::uint64_t{units} * (i + 1) / slots_;
      words_[i].store(pack({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end)}),
                      std::memory_order_relaxed);
      first = end;
    }
  }

  /// The next units for `participant`: about an eighth of its range, so that the last chunks are small, or as much as
  /// half of it while that is no more than `quick`, but at least `least` if there are as many. Empty when nothing is
  /// left to claim.
  Chunk claim(std::uint32_t participant, std::uint32_t least, std::uint32_t quick = 0) noexcept {
    std::atomic<std::uint64_t>& own = words_[participant % slots_];
    std::uint64_t word = own.load(std::memory_order_relaxed);
    while (Chunk rest = unpack(word)) {
      std::uint32_t part = std::max({least, rest.size() / 8, std::min(rest.size() / 2, quick)});
      Chunk mine{rest.first, rest.first + std::min(rest.size(), part)};
      if (own.compare_exchange_weak(word, pack({mine.end, rest.end}), std::memory_order_relaxed)) return mine;
    }
    Chunk stolen = steal();
    std::uint32_t now = std::min(stolen.size(), std::max(least, stolen.size() / 8));
    Chunk later{stolen.first + now, stolen.end};
    if (later && store(participant, later)) stolen.end = later.first;
    return stolen;
  }

  /// Whether nothing is left to claim; chunks may still be running.
  bool empty() const noexcept {
    for (std::uint32_t i = 0; i < slots_; ++i)
      if (unpack(words_[i].load(std::memory_order_relaxed))) return false;
    return true;
  }

 private:
  static std::uint64_t pack(Chunk chunk) { return std::uint64_t{chunk.end} << 32 | chunk.first; }
  static Chunk unpack(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }

  Chunk steal() noexcept {
    for (;;) {
      std::atomic<std::uint64_t>* victim = nullptr;
      std::uint64_t word = 0;
      Chunk largest;
      for (std::uint32_t i = 0; i < slots_; ++i) {
        std::uint64_t candidate = words_[i].load(std::memory_order_relaxed);
        Chunk rest = unpack(candidate);
        if (rest && rest.size() > largest.size()) victim = &words_[i], word = candidate, largest = rest;
      }
      if (!victim) return {};
      std::uint32_t half = (largest.size() + 1) / 2;
      if (victim->compare_exchange_strong(word, pack({largest.first, largest.end - half}), std::memory_order_relaxed))
        return {largest.end - half, largest.end};
    }
  }

  /// Puts units back for everybody, best into the participant's own slot; fails when all slots are in use.
  bool store(std::uint32_t participant, Chunk chunk) noexcept {
    for (std::uint32_t i = 0; i < slots_; ++i) {
      std::atomic<std::uint64_t>& slot = words_[(participant + i) % slots_];
      std::uint64_t word = slot.load(std::memory_order_relaxed);
      if (!unpack(word) && slot.compare_exchange_strong(word, pack(chunk), std::memory_order_relaxed)) return true;
    }
    return false;
  }

  std::uint32_t slots_ = 1;
  std::array<std::atomic<std::uint64_t>, kSlots> words_;
};

} // namespace clotho::cpu
