// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/widener.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

Widener::Widener(const Plan& plan, llvm::Function& target, VectorisationReport* report)
    : plan_(plan), target_(target), report_(report), layout_(target.getDataLayout()), builder_(target.getContext()) {}

Widener::~Widener() = default;

BasicBlock* Widener::newBlock(const llvm::Twine& name) {
  return BasicBlock::Create(target_.getContext(), name, &target_);
}

llvm::AllocaInst* Widener::newVariable(llvm::Type* type, const llvm::Twine& name) {
  Builder entry(entry_, entry_->begin());
  variables_.push_back(entry.CreateAlloca(type, nullptr, name));
  return variables_.back();
}

void Widener::run() {
  entry_ = newBlock("sub_group");
  builder_.SetInsertPoint(entry_);
  for (llvm::Argument& argument : plan_.kernel.args()) {
    target_.getArg(argument.getArgNo())->setName(argument.getName());
    defineUniform(&argument, target_.getArg(argument.getArgNo()));
  }
  BasicBlock& first = plan_.kernel.getEntryBlock();
  masks_[&first] = nullptr;
  if (plan_.masked) {
    // The lanes that are still in the row; 32 bits are enough for a row.
    Value* left = builder_.CreateSub(createIntrinsic(builder_, Intrinsic::RowEnd),
                                     createIntrinsic(builder_, Intrinsic::LocalId, 0));
    Value* count = splat(builder_.CreateTrunc(left, builder_.getInt32Ty()));
    masks_[&first] = builder_.CreateICmpULT(laneNumbers(builder_.getInt32Ty(), 1), count, "row");
  }
  createPrivateMemory();
  for (BasicBlock* block : plan_.flow.order())
    begins_[block] = newBlock(block->getName());
  for (BasicBlock* block : plan_.flow.order()) {
    beginBlock(*block);
    for (llvm::Instruction& instruction : *block)
      if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator()) widen(instruction);
    endBlock(*block);
  }
  llvm::BranchInst::Create(begins_[&first], entry_);
  llvm::DominatorTree dominators(target_);
  llvm::PromoteMemToReg(variables_, dominators);
}

} // namespace clotho::compiler
