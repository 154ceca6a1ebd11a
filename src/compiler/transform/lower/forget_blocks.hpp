// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces addresses of functions in block literals by null, if no function is called through a pointer. The functions
/// are then removed; they may use ids, which only kernels know.
/// Needs: blocks that are called are inlined.  Gives: no use of such functions but calls.
struct ForgetBlocksPass : llvm::PassInfoMixin<ForgetBlocksPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
