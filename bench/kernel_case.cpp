// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {

const std::vector<KernelCase>& kernelCases() {
  static const KernelCases kCases = [] {
    KernelCases cases;
    addMemoryCases(cases);
    addDivergenceCases(cases);
    addMathCases(cases);
    addImageCases(cases);
    addSamplerCases(cases);
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

std::string kernelSource(const KernelCase& what) {
  const std::string path = std::string(CLOTHO_BENCH_SOURCES) + "/" + what.folder + "/" + what.sourceName() + ".cl";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace bench
