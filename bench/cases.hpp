// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace bench {

/// How much one measured process does.
struct Effort {
  bool quick = false;
  int pick(int normal, int few) const { return quick ? few : normal; }
};

/// One row of the table. Each process measures one case and prints its samples; those of all its processes together
/// give the median.
struct Case {
  const char* name; ///< on the command line
  const char* what; ///< in the table
  double goal;      ///< 0: none; the row is there to compare others with
  const char* unit; ///< "ms", "us", "%"
  bool higherIsBetter;
  int processes;                                            ///< how many are started
  enum class Cache : unsigned char { Fresh, Filled } cache; ///< Fresh: every process finds an empty cache folder
  /// Samples in `unit`; throws std::runtime_error when a call fails or a result is wrong.
  std::vector<double> (*measure)(const Effort& effort);
};

std::span<const Case> allCases();
const Case* findCase(std::string_view name);

/// Builds once what the case `disk` builds, so that the cache has it.
void fillCache();

} // namespace bench
