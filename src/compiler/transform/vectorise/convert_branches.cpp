// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/convert_branches.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kMostInstructions = 16; ///< on one side

bool isOfLoadedData(Value* condition) {
  llvm::SmallSetVector<Instruction*, 16> made;
  if (auto* instruction = llvm::dyn_cast<Instruction>(condition)) made.insert(instruction);
  for (unsigned i = 0; i < made.size(); ++i) {
    if (llvm::isa<llvm::LoadInst>(made[i])) return true;
    for (Value* operand : made[i]->operands())
      if (auto* instruction = llvm::dyn_cast<Instruction>(operand)) made.insert(instruction);
  }
  return false;
}

/// Where one goes on to from a side that can be done before the branch; null from others.
BasicBlock* endOf(BasicBlock& side, const BasicBlock& branch) {
  if (side.getSinglePredecessor() != &branch || side.size() > kMostInstructions ||
      llvm::isa<llvm::PHINode>(side.front()))
    return nullptr;
  for (const Instruction& instruction : side) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (instruction.isTerminator() || (load != nullptr && load->isSimple())) continue;
    if (load != nullptr || !llvm::isSafeToSpeculativelyExecute(&instruction)) return nullptr;
  }
  return side.getSingleSuccessor();
}

class Conversion {
 public:
  explicit Conversion(llvm::BranchInst& branch)
      : branch_(branch), block_(*branch.getParent()), sides_{branch.getSuccessor(0), branch.getSuccessor(1)} {}

  /// Both sides meet at once.
  bool find() {
    BasicBlock* ends[2] = {endOf(*sides_[0], block_), endOf(*sides_[1], block_)};
    if (sides_[0] == sides_[1]) return false;
    if (ends[0] != nullptr && (ends[0] == ends[1] || ends[0] == sides_[1]))
      meeting_ = ends[0];
    else if (ends[1] != nullptr && ends[1] == sides_[0])
      meeting_ = ends[1];
    return meeting_ != nullptr && meeting_ != &block_;
  }

  void write(llvm::SmallPtrSetImpl<const Instruction*>& loads) {
    llvm::IRBuilder<> builder(&branch_);
    for (BasicBlock* side : sides_)
      if (side != meeting_) bringForward(*side, loads);
    for (llvm::PHINode& phi : meeting_->phis()) {
      Value *first = phi.getIncomingValueForBlock(from(0)), *second = phi.getIncomingValueForBlock(from(1));
      Value* chosen = first == second ? first : builder.CreateSelect(branch_.getCondition(), first, second);
      for (unsigned i = 0; i < 2; ++i)
        phi.removeIncomingValue(from(i), /*DeletePHIIfEmpty=*/false);
      phi.addIncoming(chosen, &block_);
    }
    builder.CreateBr(meeting_);
    branch_.eraseFromParent();
    for (BasicBlock* side : sides_)
      if (side != meeting_) side->eraseFromParent();
  }

 private:
  BasicBlock* from(unsigned side) const { return sides_[side] == meeting_ ? &block_ : sides_[side]; }

  void bringForward(BasicBlock& side, llvm::SmallPtrSetImpl<const Instruction*>& loads) {
    for (Instruction& instruction : llvm::make_early_inc_range(side)) {
      if (instruction.isTerminator()) continue;
      instruction.dropUBImplyingAttrsAndMetadata();
      if (llvm::isa<llvm::LoadInst>(instruction)) loads.insert(&instruction);
      instruction.moveBefore(branch_.getIterator());
    }
  }

  llvm::BranchInst& branch_;
  BasicBlock& block_;
  BasicBlock* sides_[2];
  BasicBlock* meeting_ = nullptr;
};

} // namespace

bool convertBranches(llvm::Function& function, llvm::function_ref<bool(const Value& condition)> which,
                     llvm::SmallPtrSetImpl<const Instruction*>& loads) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (BasicBlock& block : function) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      if (branch == nullptr || !branch->isConditional() || !which(*branch->getCondition()) ||
          !isOfLoadedData(branch->getCondition()))
        continue;
      Conversion conversion(*branch);
      if (!conversion.find()) continue;
      conversion.write(loads);
      any = again = true;
      break; // blocks are gone
    }
  }
  return any;
}

} // namespace clotho::compiler
