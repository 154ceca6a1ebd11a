// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Chooses what goes into a bit select instead of what comes out of it: `select(m, (x & C) | (y & ~C), x)` becomes
/// `(x & C) | (select(m, y, x) & ~C)`, and likewise for copysign. LLVM 22 makes one masked VPTERNLOG of the former, and
/// exchanges two of its operands when one of them is in memory (docs/llvm.md). For processors with AVX-512, after all
/// passes that simplify.
struct PartBitSelectsPass : llvm::PassInfoMixin<PartBitSelectsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
