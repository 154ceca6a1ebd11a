// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Moves pointers to NVPTX's address spaces. Constant memory becomes global: PTX's own constant space is small, and is
/// no part of the one that buffers are in.
/// Needs: loads of constant memory are marked as invariant.
struct NvptxAddressSpacesPass : llvm::PassInfoMixin<NvptxAddressSpacesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
