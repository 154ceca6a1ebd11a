// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Expands atomic sums, differences, minima and maxima of halves to loops of 16-bit compare-exchanges. No CPU has them,
/// and LLVM's own expansion comes too late for its arithmetic to be lowered.
/// Needs: no later pass looks for waiting loops.  Gives: arithmetic of halves, for LowerHalfArithmeticPass.
struct LowerHalfAtomicsPass : llvm::PassInfoMixin<LowerHalfAtomicsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
