// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Gives objects of OpenCL C the types that kernels really get (abi/image.h, abi/device_queue.h): an image is a pointer
/// to its descriptor in constant memory; a sampler, a queue on the device and an event of the device are numbers of 64
/// bits. The builtin library's functions, which are OpenCL C on these, look behind the types by calls of
/// `__clotho_image`, `__clotho_sampler` and `__clotho_handle`, which disappear. Functions of the program
/// that take such objects are to be inlined, so that all reads and writes see the kernel's own arguments. Needs:
/// that kernels are described already, since the types of arguments say what they are. Gives: no type of SPIR-V's for
/// these; the arguments of kernels that were images have a mark (ir/marks.hpp).
struct LowerImagesPass : llvm::PassInfoMixin<LowerImagesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// The same outside of a pass manager; whether there was anything to do.
bool lowerImages(llvm::Module& module);

} // namespace clotho::compiler
