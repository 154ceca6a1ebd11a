// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Marks every function that reaches an intrinsic or printf as always-inline, since only kernels know the ids.
/// Recursion among such functions is an error: OpenCL C has none (section 6.11).
/// Needs: work-item functions lowered, non-kernels internal.  Gives: after LLVM's AlwaysInliner, only kernels call
/// intrinsics and printf.
struct InlineWorkItemFunctionsPass : llvm::PassInfoMixin<InlineWorkItemFunctionsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
