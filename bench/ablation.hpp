// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>

namespace bench {

struct AblationOptions {
  std::string passes = ".*";   ///< regular expression that a pass's name must match as a whole
  std::string programs = ".*"; ///< regular expression that "kernels/NAME" or a spelling's FAMILY/NAME must contain
  /// A file whose lines are NAME, a tab and a command: other programs, which are measured as a whole. Empty: none.
  std::string commands;
  bool together = false; ///< all these passes are left out at once; the row names all programs that gain or lose
  bool quick = false;    ///< only whether code changes, no times
};

/// Builds all kernels and spellings on `clotho`, with everything and without one optional pass after the other, and
/// measures those whose code changes. Prints for each pass how many change, what the pass gains in processor time, code
/// size and build time. False if a spelling's result is wrong without a pass.
bool measureAblation(const Vendor& clotho, const AblationOptions& options);

} // namespace bench
