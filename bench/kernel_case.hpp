// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// How large a problem is made: for figures, or only to see that results are right.
struct Scale {
  bool quick = false;
  int pick(int normal, int small) const { return quick ? small : normal; }
};

/// One kernel of the tables. Its OpenCL source is <folder>/<name>.cl, its C++ version the function <name> of the
/// libraries made of kernels/*.cpp, unless `source` and `host` say otherwise.
struct KernelCase {
  const char* name;
  const char* family;
  Problem (*make)(Scale scale);
  const char* source = nullptr;
  const char* host = nullptr;
  double work = 0;                ///< 10^9 operations or bytes of an iteration at normal scale; 0: compared by time
  const char* unit = nullptr;     ///< of work a second; cases with the same host function have the same peak
  const char* folder = "kernels"; ///< below bench/

  const char* sourceName() const { return source ? source : name; }
  const char* hostName() const { return host ? host : name; }
};

const std::vector<KernelCase>& kernelCases();
const KernelCase* findKernelCase(std::string_view name);
std::string kernelSource(const KernelCase& what); ///< in OpenCL C

using KernelCases = std::vector<KernelCase>;
void addMemoryCases(KernelCases& cases);     ///< streaming, local memory, matrices
void addDivergenceCases(KernelCases& cases); ///< loops and branches that work-items take differently
void addMathCases(KernelCases& cases);       ///< math builtins, doubles, half
void addImageCases(KernelCases& cases);      ///< stencils and bytes
void addSamplerCases(KernelCases& cases);    ///< images and samplers
void addIntegerCases(KernelCases& cases);    ///< hashes, sorting, random numbers, searching
void addGroupCases(KernelCases& cases);      ///< functions of sub-groups and work-groups
void addPeakCases(KernelCases& cases);       ///< what the machine can do at most, at every width of vectors

} // namespace bench
