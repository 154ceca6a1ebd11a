// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Moves integers and addresses that only the sides of a branch use into these sides, if the branch asks whether
/// something that they are made of has one value. On the side where it has, they are made of that value, so that less
/// is left to compute. Compilers that optimise hoist what both sides compute to before the branch.
/// Needs: values are in registers.
struct SinkIntoBranchesPass : llvm::PassInfoMixin<SinkIntoBranchesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
