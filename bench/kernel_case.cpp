// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

namespace bench {

const std::vector<KernelCase>& kernelCases() {
  static const KernelCases kCases = [] {
    KernelCases cases;
    addMemoryCases(cases);
    addDivergenceCases(cases);
    addMathCases(cases);
    addImageCases(cases);
    addIntegerCases(cases);
    addGroupCases(cases);
    addPeakCases(cases);
    return cases;
  }();
  return kCases;
}

const KernelCase* findKernelCase(std::string_view name) {
  for (const KernelCase& candidate : kernelCases())
    if (name == candidate.name) return &candidate;
  return nullptr;
}

} // namespace bench
