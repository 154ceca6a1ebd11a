// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Gives objects of the host the types that kernels really get: an image is a pointer to its descriptor in constant
/// memory (abi/image.h), a sampler a number of 64 bits, a pipe a pointer to its block in global memory and a
/// reservation id a number of 64 bits (abi/pipe.h). The builtin library's functions, which are OpenCL C on these, look
/// behind the types of images and samplers by calls of `__clotho_image` and `__clotho_sampler`, which disappear.
/// Functions of the program that take or return objects are to be inlined, so that all that is done with an object sees
/// the kernel's own argument. Needs: that kernels are described already, since the types of arguments say what they
/// are. Gives: no type of SPIR-V's for these objects; the arguments of kernels that were images or pipes have a mark
/// (ir/marks.hpp).
struct LowerObjectsPass : llvm::PassInfoMixin<LowerObjectsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Form of LowerObjectsPass for use without a pass manager; returns whether there was anything to do.
bool lowerObjects(llvm::Module& module);

} // namespace clotho::compiler
