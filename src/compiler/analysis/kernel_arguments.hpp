// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace clotho::compiler {

/// Layout of the argument block: the offset at which clSetKernelArg writes each parameter of a kernel and the
/// work-group function reads it. Only sizes, alignments, offsets and kinds are filled.
struct ArgumentLayout {
  std::vector<ArgInfo> args;
  std::uint32_t blockSize = 0;
};
ArgumentLayout layoutArguments(const llvm::Function& kernel);

/// All that a portable module says about its kernels, in the order of their definition.
std::vector<KernelInfo> describeKernels(llvm::Module& module);

} // namespace clotho::compiler
