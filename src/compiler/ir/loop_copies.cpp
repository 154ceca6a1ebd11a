// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/loop_copies.hpp"

#include "compiler/ir/copy_blocks.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool LoopCopies::find(unsigned limit) {
  blocks_.insert(header_);
  for (unsigned i = 0; i < blocks_.size(); ++i)
    for (BasicBlock* next : llvm::successors(blocks_[i]))
      if (next != &exit_) blocks_.insert(next);
  for (BasicBlock* block : blocks_) {
    for (BasicBlock* from : llvm::predecessors(block)) {
      if (blocks_.contains(from)) continue;
      if (block != header_ || before_ != nullptr) return false;
      before_ = from;
    }
    for (Instruction& instruction : *block)
      instructions_.push_back(&instruction);
  }
  return before_ != nullptr && instructions_.size() <= limit &&
         llvm::all_of(instructions_, [&](const Instruction* instruction) { return isClosed(*instruction); });
}

bool LoopCopies::isClosed(const Instruction& instruction) const {
  return llvm::all_of(instruction.users(), [&](const llvm::User* user) {
    const auto* where = llvm::cast<Instruction>(user);
    const bool joins = llvm::isa<llvm::PHINode>(where) && where->getParent() == &exit_;
    return blocks_.contains(where->getParent()) || joins;
  });
}

bool LoopCopies::bringOut(Value* value) {
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || !blocks_.contains(instruction->getParent())) return true;
  // Poison-generating flags may not hold before the loop.
  if (llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory() ||
      !llvm::isSafeToSpeculativelyExecute(instruction) ||
      llvm::canCreatePoison(llvm::cast<llvm::Operator>(instruction), /*ConsiderFlagsAndMetadata=*/false) ||
      !llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) { return bringOut(operand); }))
    return false;
  instruction->dropPoisonGeneratingAnnotations();
  instruction->moveBefore(before_->getTerminator()->getIterator());
  llvm::erase(instructions_, instruction);
  return true;
}

BasicBlock* LoopCopies::split() {
  llvm::Function* function = header_->getParent();
  BasicBlock* choice = BasicBlock::Create(function->getContext(), "choice", function, header_);
  original_ = BasicBlock::Create(function->getContext(), "usual", function, header_);
  llvm::BranchInst::Create(header_, original_);
  before_->getTerminator()->replaceSuccessorWith(header_, choice);
  header_->replacePhiUsesWith(before_, original_);
  blocks_.insert(original_);
  return choice;
}

BasicBlock* LoopCopies::copy(llvm::ValueToValueMapTy& map) {
  copyBlocks(blocks_, exit_, map);
  return llvm::cast<BasicBlock>(map[original_]);
}

} // namespace clotho::compiler
