// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Sinks integers and addresses that are used only on the sides of a branch into these sides, if the branch compares
/// one of their terms with a value. On the equal side the term is replaced by the value, which simplifies the rest.
/// Compilers that optimise before they write SPIR-V hoist what both sides compute.
/// Needs: values in registers.
struct SinkIntoBranchesPass : llvm::PassInfoMixin<SinkIntoBranchesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
