// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes kernels the module's only entry points and their struct arguments read-only.
/// Needs: builtins linked.  Gives: every definition but kernels is internal; a by-value parameter of a kernel is
/// noalias readonly, so that it may point into the argument block that all work-items share; loads of constant memory
/// are invariant.load.
struct PrepareKernelsPass : llvm::PassInfoMixin<PrepareKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
