// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/near_guards.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;

/// The preheaders below which a way up would be longer than kMostBlocks, if it did not end there.
llvm::SmallVector<BasicBlock*, 0> farPreheaders(llvm::Function& function, const llvm::LoopInfo& loops) {
  constexpr unsigned kMostBlocks = 100; // more than in any kernel of bench/
  llvm::SmallVector<BasicBlock*, 0> result;
  llvm::DenseMap<const BasicBlock*, unsigned> lengths; // of the way up from a block
  for (BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    const llvm::Loop* loop = loops.getLoopFor(block);
    const bool isHeader = loop != nullptr && loop->getHeader() == block;
    const BasicBlock* above = isHeader ? loop->getLoopPredecessor() : block->getSinglePredecessor();
    unsigned& length = lengths[block];
    length = above != nullptr ? lengths.lookup(above) + 1 : 0;
    const BasicBlock* next = block->getSingleSuccessor();
    if (length < kMostBlocks || next == nullptr || !loops.isLoopHeader(next) ||
        loops.getLoopFor(next)->getLoopPreheader() != block)
      continue;
    length = 0;
    result.push_back(block);
  }
  return result;
}

/// A block that ends before `preheader` does, by two ways of which one is a detour. Gives the detour.
BasicBlock* addDetour(BasicBlock& preheader) {
  BasicBlock* rest = preheader.splitBasicBlock(preheader.getTerminator());
  auto* detour = BasicBlock::Create(preheader.getContext(), "detour", preheader.getParent(), rest);
  llvm::BranchInst::Create(rest, detour);
  preheader.getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(&preheader);
  llvm::Value* unknown = builder.CreateFreeze(llvm::PoisonValue::get(builder.getInt1Ty()));
  builder.CreateCondBr(unknown, detour, rest);
  return detour;
}

void removeDetour(BasicBlock& detour) {
  BasicBlock* rest = detour.getSingleSuccessor();
  llvm::Instruction* branch = detour.getSinglePredecessor()->getTerminator();
  auto* unknown = llvm::cast<llvm::Instruction>(llvm::cast<llvm::BranchInst>(branch)->getCondition());
  llvm::BranchInst::Create(rest, branch->getIterator());
  branch->eraseFromParent();
  unknown->eraseFromParent();
  llvm::DeleteDeadBlock(&detour);
  llvm::MergeBlockIntoPredecessor(rest);
}

} // namespace

llvm::PreservedAnalyses WithNearGuards::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<BasicBlock*, 0> detours;
  for (BasicBlock* preheader : farPreheaders(function, analyses.getResult<llvm::LoopAnalysis>(function)))
    detours.push_back(addDetour(*preheader));
  if (detours.empty()) return passes_.run(function, analyses);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  passes_.run(function, analyses);
  for (BasicBlock* detour : detours)
    removeDetour(*detour);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
