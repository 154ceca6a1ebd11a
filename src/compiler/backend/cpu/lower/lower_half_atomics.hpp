// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Sums, differences, minima and maxima of halves in memory become loops that compare and exchange 16 bits: no CPU has
/// them, and the arithmetic of what LLVM would make of them comes after the last chance to lower it.
/// Needs: no later pass looks for loops that wait.  Gives: arithmetic of halves, for LowerHalfArithmeticPass.
struct LowerHalfAtomicsPass : llvm::PassInfoMixin<LowerHalfAtomicsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
