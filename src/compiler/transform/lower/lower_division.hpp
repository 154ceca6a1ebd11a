// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes integer division total: x / 0 and MIN / -1 divide by 1 instead, so they give a value and never trap; where
/// the operands are constants and LLVM has made poison of it, the value is 0. Must
/// run before anything that reasons from division by zero being undefined.
/// Needs: nothing.  Gives: every integer division's divisor is neither 0, nor -1 where that overflows.
struct LowerDivisionPass : llvm::PassInfoMixin<LowerDivisionPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
