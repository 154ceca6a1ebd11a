// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Turns sums of wide vectors with masks into selects: `a + zext(m)` into `select(m, a + 1, a)`, which is the same
/// masked addition. LLVM 22's instruction selection does not end for some of the sums that it splits into four
/// registers or more (docs/llvm.md). For processors with AVX-512; runs after all simplification.
struct CountBySelectPass : llvm::PassInfoMixin<CountBySelectPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
