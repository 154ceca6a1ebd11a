// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernel_case.hpp"

#include <string>
#include <vector>

namespace bench {

/// nvcc, and where the code that it makes is kept.
struct CudaCompiler {
  std::string nvcc;         ///< empty: only code that is there is used
  std::string architecture; ///< as nvcc's -arch
  std::string folder;       ///< code that is here is not made again while source, options and nvcc stay
};

/// Whether the kernel can be CUDA C++: images cannot.
bool isForCuda(const KernelCase& what);

/// The code that compileForCuda makes of a kernel.
std::string cubinOf(const KernelCase& what, const std::string& folder);

/// Compiles these kernels as CUDA C++, as many at once as there are processors. Returns for each one why there is no
/// code; empty: there is.
std::vector<std::string> compileForCuda(const std::vector<const KernelCase*>& kernels, const CudaCompiler& compiler);

} // namespace bench
