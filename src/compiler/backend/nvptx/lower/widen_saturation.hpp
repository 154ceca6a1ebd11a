// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes saturating sums and differences of integers of 8 and 16 bits in 32 bits, which takes one operation and two
/// limits. LLVM 22 tests for overflow instead, by two comparisons.
struct WidenSaturationPass : llvm::PassInfoMixin<WidenSaturationPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
