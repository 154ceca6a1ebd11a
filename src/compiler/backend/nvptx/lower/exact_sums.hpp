// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Keeps denormals in atomic sums of floats, which the instruction for global memory flushes to zero: numbers so small
/// that the sum may be denormal are added by a loop that exchanges. Functions that may flush denormals are left alone.
struct ExactSumsPass : llvm::PassInfoMixin<ExactSumsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
