// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>

namespace clotho::trace {

/// How much time some intervals cover together, and how much they span. They come about in the order of their ends, so
/// that old ones are forgotten: the memory is bounded.
class IntervalUnion {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    first_ = std::min(first_, begin);
    last_ = std::max(last_, end);
    begin = std::max(begin, settledUntil_);
    if (begin >= end) return;
    // Merges those that the new one meets.
    auto next = open_.upper_bound(begin);
    if (next != open_.begin() && std::prev(next)->second >= begin) --next;
    while (next != open_.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = open_.erase(next);
    }
    open_.emplace_hint(next, begin, end);
    if (open_.size() > kMostOpen) settle();
  }

  std::uint64_t covered() const {
    std::uint64_t sum = settled_;
    for (const auto& [begin, end] : open_)
      sum += end - begin;
    return sum;
  }
  std::uint64_t span() const { return last_ > first_ ? last_ - first_ : 0; }

 private:
  static constexpr std::size_t kMostOpen = 4096;

  void settle() {
    const auto middle = std::next(open_.begin(), kMostOpen / 2);
    for (auto each = open_.begin(); each != middle; each = open_.erase(each)) {
      settled_ += each->second - each->first;
      settledUntil_ = each->second;
    }
  }

  std::map<std::uint64_t, std::uint64_t> open_; // ends by beginnings; disjoint
  std::uint64_t settled_ = 0, settledUntil_ = 0;
  std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max(), last_ = 0;
};

} // namespace clotho::trace
