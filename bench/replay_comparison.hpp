// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>

namespace bench {

struct ReplayOptions {
  std::string pattern = ".*"; ///< regular expression that a kernel's name or family must contain
  std::string tool;           ///< the command `clotho`
  bool quick = false;         ///< small sizes, results compared, times not taken
};

/// Captures the launches of each kernel on `clotho` and replays them: whether they give the same bits, and in the time
/// that they take here. Prints a table. False if a result differs.
bool compareReplays(const Vendor& clotho, const ReplayOptions& options);

} // namespace bench
