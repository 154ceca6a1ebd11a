// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>
#include <vector>

namespace bench {

struct KernelOptions {
  std::string pattern = ".*"; ///< regular expression that a kernel's name or family must contain
  std::string spirvTool;      ///< the command `clotho`, to measure Clotho from SPIR-V, too; empty: not
  std::string json;           ///< file for the figures; empty: none
  bool isAlone = false;       ///< C++ verifies, and is not measured
  int passes = 5;             ///< over all kernels, with new processes in each
  bool quick = false;         ///< small sizes, results verified, nothing measured
};

/// Runs every kernel on all vendors and as C++, verifies all results, prints the table. False if Clotho fails or is
/// wrong anywhere.
bool compareKernels(const std::vector<Vendor>& vendors, const KernelOptions& options);

} // namespace bench
