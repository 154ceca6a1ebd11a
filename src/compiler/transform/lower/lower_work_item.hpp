// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces OpenCL's work-item functions and work-group barriers by intrinsics.
/// Needs: nothing.  Gives: no calls of get_global_id and its like, nor of work-group barriers, whole or split.
struct LowerWorkItemPass : llvm::PassInfoMixin<LowerWorkItemPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
