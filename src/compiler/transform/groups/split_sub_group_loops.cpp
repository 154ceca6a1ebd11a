// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/split_sub_group_loops.hpp"

#include "compiler/analysis/sub_group_mask.hpp"
#include "compiler/ir/copy_blocks.hpp"
#include "compiler/ir/loop_marks.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kInstructionLimit = 80; // each copied once

class Splitter {
 public:
  Splitter(llvm::Loop& loop, std::uint64_t width) : loop_(loop), width_(width) {}

  bool run() {
    if (!findCounter() || !isClosed()) return false;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block)
        if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
          if (auto guard = matchSubGroupMask(*compare, *counter_, width_)) guards_.push_back(std::move(*guard));
    if (guards_.empty()) return false;
    for (const SubGroupMask& guard : guards_)
      bound_ = std::max(bound_, guard.bound);
    divide();
    return true;
  }

 private:
  bool findCounter() {
    BasicBlock* header = loop_.getHeader();
    latch_ = loop_.getLoopLatch();
    before_ = loop_.getLoopPreheader();
    exit_ = loop_.getUniqueExitBlock();
    if (latch_ == nullptr || before_ == nullptr || latch_ != loop_.getExitingBlock()) return false;
    if (exit_ == nullptr) return false;
    using namespace llvm::PatternMatch;
    for (llvm::PHINode& phi : header->phis()) {
      next_ = llvm::dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch_));
      if (next_ == nullptr || !phi.getType()->isIntegerTy(64) ||
          !match(next_, m_Add(m_Specific(&phi), m_SpecificInt(width_))))
        continue;
      counter_ = &phi;
      return match(phi.getIncomingValueForBlock(before_), m_Zero());
    }
    return false;
  }

  /// Whether the loop is small and its values are used only inside.
  bool isClosed() const {
    unsigned count = 0;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) {
        if (++count > kInstructionLimit) return false;
        for (const llvm::User* user : instruction.users())
          if (!loop_.contains(llvm::cast<Instruction>(user))) return false;
      }
    return true;
  }

  /// Splits the loop: the original runs the first sub-groups, a copy the others.
  void divide() {
    llvm::ValueToValueMapTy map;
    copyBlocks(loop_.getBlocks(), ".rest", map);
    for (llvm::PHINode& phi : exit_->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(latch_), llvm::cast<BasicBlock>(map[latch_]));
    auto* rest = llvm::cast<BasicBlock>(map[loop_.getHeader()]);
    for (llvm::PHINode& phi : rest->phis())
      phi.removeIncomingValue(before_, /*DeletePHIIfEmpty=*/false);
    Value* bound = llvm::ConstantInt::get(counter_->getType(), bound_);

    BasicBlock* goesOn = BasicBlock::Create(exit_->getContext(), "divide", exit_->getParent(), rest);
    llvm::IRBuilder<> builder(goesOn);
    builder.CreateCondBr(builder.CreateICmpULT(next_, bound), loop_.getHeader(), rest);
    latch_->getTerminator()->replaceSuccessorWith(loop_.getHeader(), goesOn);
    for (llvm::PHINode& phi : loop_.getHeader()->phis()) {
      phi.replaceIncomingBlockWith(latch_, goesOn);
      llvm::cast<llvm::PHINode>(map[&phi])->addIncoming(phi.getIncomingValueForBlock(goesOn), goesOn);
    }
    renewMetadata(*llvm::cast<BasicBlock>(map[latch_]));

    for (const SubGroupMask& guard : guards_) {
      auto* restCompare = llvm::cast<llvm::ICmpInst>(map[guard.compare]);
      if (guard.before && guard.bound == bound_) answer(*guard.compare, *guard.before);
      answer(*restCompare, guard.after);
    }
  }

  /// Gives the loop distinct metadata: two loops may not share an identifier.
  static void renewMetadata(BasicBlock& latch) {
    const llvm::MDNode* old = latch.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
    if (old == nullptr) return;
    setLoopProperties(*latch.getTerminator(), llvm::SmallVector<llvm::Metadata*, 4>(llvm::drop_begin(old->operands())));
  }

  static void answer(llvm::ICmpInst& compare, bool value) {
    compare.replaceAllUsesWith(llvm::ConstantInt::getBool(compare.getType(), value));
    compare.eraseFromParent();
  }

  llvm::Loop& loop_;
  const std::uint64_t width_;
  BasicBlock *latch_ = nullptr, *before_ = nullptr, *exit_ = nullptr;
  llvm::PHINode* counter_ = nullptr;
  Instruction* next_ = nullptr;
  llvm::SmallVector<SubGroupMask, 4> guards_;
  std::uint64_t bound_ = 0; ///< the greatest of theirs, where the loop is divided
};

} // namespace

llvm::PreservedAnalyses SplitSubGroupLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  bool changed = false;
  // Visits innermost loops, which are disjoint.
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (const auto width = subGroupLoopWidth(*loop); width && *width > 1 && loop->isInnermost())
      changed |= Splitter(*loop, *width).run();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
