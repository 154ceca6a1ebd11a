// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Unrolls whole loops that go along private arrays, so that the arrays can become registers: PTX has no other way to
/// index them than memory. Innermost loops that stay get a count by which LLVM is to unroll them, since threads hide
/// the latency of loads by having several under way. Loops for which the program asks something are left alone.
/// Needs: loops in simplified form, with canonical induction variables. SROA and simplifications have to follow.
struct UnrollLoopsPass : llvm::PassInfoMixin<UnrollLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
