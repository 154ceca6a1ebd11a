// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace clotho::compiler {

/// Where each parameter of a kernel lies in the argument block: what the work-group function reads and what
/// clSetKernelArg must write. Only sizes, alignments, offsets and kinds are filled.
struct ArgumentLayout {
  std::vector<ArgInfo> args;
  std::uint32_t blockSize = 0;
};
ArgumentLayout layoutArguments(const llvm::Function& kernel);

/// All that a portable module says about its kernels, in the order of their definition.
std::vector<KernelInfo> describeKernels(const llvm::Module& module);

bool isKernel(const llvm::Function& function);

/// A module flag: all work-groups of a launch have one size, for the program, or a part that was linked into it, is of
/// OpenCL C 1.x or built with -cl-uniform-work-group-size (OpenCL 2.2, section 5.10). Travels with portable modules.
inline constexpr const char* kUniformGroupsFlag = "clotho.uniform-work-groups";
void setUniformGroupsOnly(llvm::Module& module);
bool hasUniformGroupsOnly(const llvm::Module& module);

/// Of kernels built with -cl-denorms-are-zero. LLVM's own attribute would keep builtins, which lack it, from being
/// inlined.
inline constexpr const char* kFlushDenormalsAttribute = "clotho-flush-denormals";

} // namespace clotho::compiler
