// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "problem.hpp"

#include <string_view>
#include <vector>

namespace bench {

/// How large a problem is made: for figures, or only to see that results are right.
struct Scale {
  bool quick = false;
  int pick(int normal, int small) const { return quick ? small : normal; }
};

/// One kernel of the table. Its OpenCL source is kernels/<name>.cl, its C++ version the function <name> of the
/// libraries made of kernels/*.cpp.
struct KernelCase {
  const char* name;
  const char* family;
  Problem (*make)(Scale scale);
};

const std::vector<KernelCase>& kernelCases();
const KernelCase* findKernelCase(std::string_view name);

using KernelCases = std::vector<KernelCase>;
void addMemoryCases(KernelCases& cases);     ///< streaming, local memory, matrices
void addDivergenceCases(KernelCases& cases); ///< loops and branches that work-items take differently
void addMathCases(KernelCases& cases);       ///< math builtins, doubles, half
void addImageCases(KernelCases& cases);      ///< stencils and bytes
void addIntegerCases(KernelCases& cases);    ///< hashes, sorting, random numbers, searching

} // namespace bench
