// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace clotho::tools {

/// `clotho trace`.
struct TraceCommand {
  std::string output = "trace.json"; ///< of a program that is run
  bool counts = false;               ///< processor counters, too
  std::vector<std::string> files;    ///< traces to show
  std::string page;                  ///< empty: as text

  /// Runs a program with its arguments in place of this process. Returns, with 1, only if that fails.
  int run(char** program) const;
  /// Prints the summary of the files, or writes the page.
  int show() const;
};

} // namespace clotho::tools
