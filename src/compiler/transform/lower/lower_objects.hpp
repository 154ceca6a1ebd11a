// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces the types of host objects by those that kernels get at run time. An image is a pointer to its descriptor in
/// constant memory (abi/image.h), a sampler a 64-bit number, a pipe a pointer to its block in global memory, and a
/// reservation id a 64-bit number (abi/pipe.h). The builtin library, which is OpenCL C on these, converts images and
/// samplers by calls of `__clotho_image` and `__clotho_sampler`, which are removed. Functions of the program that take
/// or return objects are marked for inlining, so that all uses of an object see the kernel's own argument.
/// Needs: kernels already described, since that reads the types of arguments.  Gives: no SPIR-V types for these
/// objects; kernel arguments that were images or pipes are marked (ir/marks.hpp).
struct LowerObjectsPass : llvm::PassInfoMixin<LowerObjectsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// LowerObjectsPass for use without a pass manager; returns whether anything changed.
bool lowerObjects(llvm::Module& module);

} // namespace clotho::compiler
