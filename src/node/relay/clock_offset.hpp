// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace clotho::node {

/// How far another machine's clock is ahead of this one's, measured by questions for its time: it was told at some
/// moment between question and answer, so the shortest round trip says it best. All times in ns.
class ClockOffset {
 public:
  /// A question was asked and answered at these times of this clock; `told`: of the other one. By one thread at a time.
  void measured(std::uint64_t asked, std::uint64_t told, std::uint64_t answered) noexcept;
  /// A time of the other clock in this one. Any thread. Unchanged before the first answer, and where the clocks may be
  /// the same one, as far as the round trips tell.
  std::uint64_t toOwn(std::uint64_t time) const noexcept {
    return time - static_cast<std::uint64_t>(offset_.load(std::memory_order_relaxed));
  }
  std::int64_t offset() const noexcept { return offset_.load(std::memory_order_relaxed); }
  /// How many questions have been answered; by the thread that measures.
  std::uint64_t count() const noexcept { return count_; }

 private:
  /// Clocks drift apart, so that only the last questions count.
  static constexpr std::size_t kKept = 16;
  struct Sample {
    std::int64_t offset = 0;
    std::uint64_t roundTrip = ~std::uint64_t{0};
  };

  std::array<Sample, kKept> samples_{};
  std::uint64_t count_ = 0;
  std::atomic<std::int64_t> offset_{0};
};

} // namespace clotho::node
