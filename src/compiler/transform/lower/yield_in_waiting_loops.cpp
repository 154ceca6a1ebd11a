// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/yield_in_waiting_loops.hpp"

#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/Analysis/LoopInfo.h>

namespace clotho::compiler {

llvm::PreservedAnalyses YieldInWaitingLoopsPass::run(llvm::Function& function,
                                                     llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || function.isDeclaration() || factsOf(function).needsNoProgress)
    return llvm::PreservedAnalyses::all();
  const auto& waiting = analyses.getResult<WaitingLoopsAnalysis>(function).loops;
  for (llvm::Loop* loop : waiting) {
    // The yield is in the header, which every iteration passes; a superfluous yield costs little.
    llvm::IRBuilder<> builder(&*loop->getHeader()->getFirstInsertionPt());
    createIntrinsic(builder, Intrinsic::Yield);
  }
  return waiting.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
