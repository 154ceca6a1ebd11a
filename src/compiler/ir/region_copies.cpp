// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/region_copies.hpp"

#include "compiler/ir/copy_blocks.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Instruction;

RegionCopies::RegionCopies(Instruction& first, const llvm::PostDominatorTree& ends)
    : first_(first), original_(first.getParent()) {
  const auto* node = ends.getNode(original_);
  if (node != nullptr && node->getIDom() != nullptr) meeting_ = node->getIDom()->getBlock();
}

bool RegionCopies::find(unsigned limit) {
  if (meeting_ == nullptr || meeting_ == original_) return false;
  blocks_.insert(original_);
  for (unsigned i = 0; i < blocks_.size(); ++i)
    for (BasicBlock* next : llvm::successors(blocks_[i])) {
      if (next == original_) return false;
      if (next != meeting_) blocks_.insert(next);
    }
  for (BasicBlock* block : blocks_) {
    if (block != original_ &&
        llvm::any_of(llvm::predecessors(block), [&](BasicBlock* from) { return !blocks_.contains(from); }))
      return false;
    for (Instruction& instruction : *block)
      if (block != original_ || !instruction.comesBefore(&first_)) instructions_.push_back(&instruction);
  }
  return instructions_.size() <= limit &&
         llvm::all_of(instructions_, [&](const Instruction* instruction) { return isClosed(*instruction); });
}

bool RegionCopies::isClosed(const Instruction& instruction) const {
  if (isIntrinsic(&instruction, Intrinsic::Barrier)) return false;
  return llvm::all_of(instruction.users(), [&](const llvm::User* user) {
    const auto* where = llvm::cast<Instruction>(user);
    const bool joins = llvm::isa<llvm::PHINode>(where) && where->getParent() == meeting_;
    return blocks_.contains(where->getParent()) || joins;
  });
}

BasicBlock* RegionCopies::split() {
  BasicBlock* before = original_;
  original_ = llvm::SplitBlock(before, first_.getIterator());
  blocks_.remove(before);
  blocks_.insert(original_);
  before->getTerminator()->eraseFromParent();
  return before;
}

BasicBlock* RegionCopies::copy(llvm::ValueToValueMapTy& map) {
  copyBlocks(blocks_, *meeting_, map);
  return llvm::cast<BasicBlock>(map[original_]);
}

} // namespace clotho::compiler
