// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Marks as always-inline every function that reaches an intrinsic or printf: only kernels can know where work-items
/// stand. A recursion among such functions is an error, for OpenCL C has none (section 6.11).
/// Needs: work-item functions lowered, non-kernels internal.  Gives: after LLVM's AlwaysInliner, intrinsics and
/// printf are called by kernels alone.
struct InlineWorkItemFunctionsPass : llvm::PassInfoMixin<InlineWorkItemFunctionsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
