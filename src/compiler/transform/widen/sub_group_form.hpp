// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Brings a function into the form in which the flow of a sub-group's lanes is analysed (SubGroupFlow), and in which it
/// is widened.
/// Gives: reducible flow in LoopSimplify and LCSSA form, no critical edges, no switch, one return. Functions in which
/// loops never end, or that jump to computed places, stay as far from it as they are.
struct SubGroupFormPass : llvm::PassInfoMixin<SubGroupFormPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
