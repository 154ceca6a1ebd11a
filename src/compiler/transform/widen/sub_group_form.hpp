// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Brings a function into the form that SubGroupFlow and the widener need.
/// Gives: reducible flow in LoopSimplify and LCSSA form, no critical edges, no switch, one return. Functions with
/// endless loops or indirect branches may keep another form.
struct SubGroupFormPass : llvm::PassInfoMixin<SubGroupFormPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
