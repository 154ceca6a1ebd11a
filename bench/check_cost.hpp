// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>

namespace bench {

struct CheckOptions {
  std::string pattern = ".*"; ///< regular expression that a kernel's name or family must contain
  bool quick = false;         ///< small sizes, and no figures: whether a check reports a fault of a kernel
};

/// Measures on `clotho` how many times as long each kernel takes that does in OpenCL what C++ does, if it is checked
/// (docs/checking.md), by processor time. Prints a table and medians. False if a check reports a fault.
bool measureChecks(const Vendor& clotho, const CheckOptions& options);

} // namespace bench
