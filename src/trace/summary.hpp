// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/interval_union.hpp"
#include "trace/record.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace clotho::trace {

/// The sums of a trace: commands by name, and how busy queues were. Not thread-safe.
class Summary {
 public:
  /// All commands of one name.
  struct Row {
    bool isKernel = false;
    std::uint64_t calls = 0, failures = 0;
    std::uint64_t time = 0; ///< ns from start to end
    // Only of calls for which they are known, with the time of those:
    double flops = 0, bytes = 0;
    std::uint64_t flopsTime = 0, bytesTime = 0;
    CounterValues counters;

    double gflops() const { return flopsTime ? flops / static_cast<double>(flopsTime) : -1; }
    double gigabytes() const { return bytesTime ? bytes / static_cast<double>(bytesTime) : -1; }
  };

  /// The commands of a name, and a queue's times; they stay where they are.
  Row& row(std::string_view name);
  IntervalUnion& queue(std::string_view label);
  static void addCommand(Row& row, IntervalUnion& queue, const CommandRun& run);
  static void addShare(Row& row, const Share& share);

  bool isEmpty() const { return rows_.empty(); }
  const std::map<std::string, Row, std::less<>>& rows() const { return rows_; }
  /// Tables for a terminal: the commands that took longest, and the queues.
  std::string text() const;

 private:
  std::string commandTable() const;
  std::string queueTable() const;
  std::string counterTable() const;

  std::map<std::string, Row, std::less<>> rows_;
  std::map<std::string, IntervalUnion, std::less<>> queues_;
};

} // namespace clotho::trace
