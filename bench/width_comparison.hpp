// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>

namespace bench {

struct WidthOptions {
  std::string pattern = ".*"; ///< regular expression that "kernels/NAME" or a spelling's FAMILY/NAME must contain
  bool quick = false;         ///< small sizes, spellings verified, nothing measured
};

/// Measures all kernels and spellings on `clotho` with as many work-items at once as it chooses, and with one, and
/// prints both and their ratio, by processor time. False if any cannot be built, or a spelling's result is wrong.
bool compareWidths(const Vendor& clotho, const WidthOptions& options);

} // namespace bench
