// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes integer division total: x / 0 and MIN / -1 divide by 1 instead, so they give a value and never trap. If the
/// operands are constants and LLVM has folded them to poison, the value is 0. Must run before passes that exploit the
/// undefined behaviour of division by zero.
/// Needs: nothing.  Gives: no integer division whose divisor is 0, or -1 if that overflows.
struct LowerDivisionPass : llvm::PassInfoMixin<LowerDivisionPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
