// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Moves selects from the result of a bit select to its operand: `select(m, (x & C) | (y & ~C), x)` becomes `(x & C) |
/// (select(m, y, x) & ~C)`, and similarly for copysign. LLVM 22 makes one masked VPTERNLOG of the former and exchanges
/// two operands if one of them is in memory (docs/llvm.md). For processors with AVX-512; runs after all simplification.
struct PartBitSelectsPass : llvm::PassInfoMixin<PartBitSelectsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
