// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace clotho::trace {

/// How much time some intervals cover together, and how much they span. They come about in the order of their ends, so
/// that most are added behind all others, and old ones are forgotten: the memory is bounded.
class IntervalUnion {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    first_ = std::min(first_, begin);
    last_ = std::max(last_, end);
    begin = std::max(begin, settledUntil_);
    if (begin >= end) return;
    // Merges those that the new one meets.
    auto after = open_.end();
    while (after != open_.begin() && end < (after - 1)->begin)
      --after;
    auto met = after;
    while (met != open_.begin() && (met - 1)->end >= begin) {
      --met;
      begin = std::min(begin, met->begin);
      end = std::max(end, met->end);
    }
    if (met == after) {
      open_.insert(after, {begin, end});
    } else {
      *met = {begin, end};
      open_.erase(met + 1, after);
    }
    if (open_.size() > kMostOpen) settle();
  }

  std::uint64_t covered() const {
    std::uint64_t sum = settled_;
    for (const Interval& each : open_)
      sum += each.end - each.begin;
    return sum;
  }
  std::uint64_t span() const { return last_ > first_ ? last_ - first_ : 0; }

 private:
  static constexpr std::size_t kMostOpen = 4096;

  struct Interval {
    std::uint64_t begin, end;
  };

  void settle() {
    const auto middle = open_.begin() + kMostOpen / 2;
    for (auto each = open_.begin(); each != middle; ++each)
      settled_ += each->end - each->begin;
    settledUntil_ = (middle - 1)->end;
    open_.erase(open_.begin(), middle);
  }

  std::vector<Interval> open_; // disjoint, in their order
  std::uint64_t settled_ = 0, settledUntil_ = 0;
  std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max(), last_ = 0;
};

} // namespace clotho::trace
