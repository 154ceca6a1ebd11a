// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>
#include <vector>

namespace bench {

struct KernelOptions {
  std::string pattern = ".*";   ///< regular expression that a kernel's name or family must contain
  std::string spirvTool;        ///< the command `clotho`, to measure Clotho from SPIR-V, too; empty: not
  std::string nvcc;             ///< CUDA's compiler, to measure its code, too; empty: only what `cubins` has
  std::string cubins;           ///< folder that keeps this code; empty: for this run
  std::string cudaArchitecture; ///< empty: the first GPU's
  std::string json;             ///< file for the figures; empty: none
  bool isAlone = false;         ///< C++ verifies, and is not measured
  int passes = 5;               ///< over all kernels, with new processes in each
  bool quick = false;           ///< small sizes, results verified, nothing measured

  bool withCuda() const { return !nvcc.empty() || !cubins.empty(); }
};

/// Runs every kernel on all vendors and as C++, verifies all results, prints the table. False if Clotho fails or is
/// wrong anywhere.
bool compareKernels(const std::vector<Vendor>& vendors, const KernelOptions& options);

/// Compiles every kernel by nvcc for `options.cudaArchitecture` and says which ones it does not compile. False if there
/// are any except those with images.
bool compileKernels(const KernelOptions& options);

} // namespace bench
