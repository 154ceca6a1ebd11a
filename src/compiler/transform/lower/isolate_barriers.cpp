// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/isolate_barriers.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {

llvm::PreservedAnalyses IsolateBarriersPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::Instruction*, 8> barriers;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto call = matchIntrinsic(&instruction); call && call->intrinsic == Intrinsic::Barrier)
      barriers.push_back(&instruction);
  if (barriers.empty()) return llvm::PreservedAnalyses::all();
  for (llvm::Instruction* barrier : barriers)
    llvm::SplitBlock(barrier->getParent(), std::next(barrier->getIterator()));
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(function))
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator()); branch && branch->isConditional())
      for (unsigned i = 0; i < 2; ++i)
        llvm::SplitCriticalEdge(block.getTerminator(), i);
  // Splitting leaves blocks with a single predecessor, so their phis are folded.
  for (llvm::BasicBlock& block : function)
    if (block.getSinglePredecessor() != nullptr) llvm::FoldSingleEntryPHINodes(&block);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
