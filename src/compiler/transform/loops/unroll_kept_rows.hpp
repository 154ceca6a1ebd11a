// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>

namespace llvm {
class LPMUpdater;
class Loop;
} // namespace llvm

namespace clotho::compiler {

/// Loops that keep what many rounds before have computed (FuseStepsPass) hand it from register to register in each
/// round. Unrolls them four times, each round with its own end, so that most of that goes away.
/// Needs: the loop as it is compiled, since no later pass simplifies it.
struct UnrollKeptRowsPass : llvm::PassInfoMixin<UnrollKeptRowsPass> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

} // namespace clotho::compiler
