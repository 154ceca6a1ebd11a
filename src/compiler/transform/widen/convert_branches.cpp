// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/convert_branches.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kMostInstructions = 16; ///< most instructions on one side of a branch

/// All values that depend on loaded data.
llvm::DenseSet<const Value*> findLoadedData(llvm::Function& function) {
  llvm::DenseSet<const Value*> made;
  llvm::SmallVector<const Instruction*, 32> work;
  const auto add = [&](const Instruction& instruction) {
    if (made.insert(&instruction).second) work.push_back(&instruction);
  };
  for (const Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::LoadInst>(instruction)) add(instruction);
  while (!work.empty())
    for (const llvm::User* user : work.pop_back_val()->users())
      add(*llvm::cast<Instruction>(user));
  return made;
}

/// The block after a side of the branch, if the side can be executed before the branch; null otherwise.
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

  /// Whether both sides are followed immediately by the same block.
  bool find() {
    BasicBlock* ends[2] = {endOf(*sides_[0], block_), endOf(*sides_[1], block_)};
    if (sides_[0] == sides_[1]) return false;
    if (ends[0] != nullptr && (ends[0] == ends[1] || ends[0] == sides_[1]))
      meeting_ = ends[0];
    else if (ends[1] != nullptr && ends[1] == sides_[0])
      meeting_ = ends[1];
    return meeting_ != nullptr && meeting_ != &block_;
  }

  /// Converts the branch. `gone`: gets the removed blocks.
  void write(llvm::SmallPtrSetImpl<const Instruction*>& loads, llvm::SmallPtrSetImpl<const BasicBlock*>& gone) {
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
      if (side != meeting_) {
        gone.insert(side);
        side->eraseFromParent();
      }
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
    const llvm::DenseSet<const Value*> loaded = findLoadedData(function);
    llvm::SmallPtrSet<const BasicBlock*, 16> gone;
    // Visits inner branches first, so that one pass suffices for most.
    const llvm::SmallVector<BasicBlock*, 32> blocks(llvm::post_order(&function));
    for (BasicBlock* block : blocks) {
      if (gone.contains(block)) continue;
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (branch == nullptr || !branch->isConditional() || !loaded.contains(branch->getCondition()) ||
          !which(*branch->getCondition()))
        continue;
      Conversion conversion(*branch);
      if (!conversion.find()) continue;
      conversion.write(loads, gone);
      any = again = true;
    }
  }
  return any;
}

} // namespace clotho::compiler
