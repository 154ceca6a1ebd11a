// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/lower_half_atomics.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace clotho::compiler {
namespace {

void lower(llvm::AtomicRMWInst& change) {
  llvm::BasicBlock* before = change.getParent();
  llvm::BasicBlock* after = llvm::SplitBlock(before, &change);
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(change.getContext(), "again", before->getParent(), after);
  llvm::Value* address = change.getPointerOperand();
  llvm::Type* half = change.getType();

  before->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(change.getDebugLoc());
  llvm::Type* bits = builder.getInt16Ty();
  // A plain guess: the exchange that follows has the memory order.
  llvm::LoadInst* first = builder.CreateAlignedLoad(bits, address, change.getAlign(), change.isVolatile());
  first->setAtomic(llvm::AtomicOrdering::Monotonic, change.getSyncScopeID());
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* expected = builder.CreatePHI(bits, 2);
  expected->addIncoming(first, before);
  llvm::Value* old = builder.CreateBitCast(expected, half);
  llvm::Value* result = llvm::buildAtomicRMWValue(change.getOperation(), builder, old, change.getValOperand());
  llvm::AtomicCmpXchgInst* exchange = builder.CreateAtomicCmpXchg(
      address, expected, builder.CreateBitCast(result, bits), change.getAlign(), change.getOrdering(),
      llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(change.getOrdering()), change.getSyncScopeID());
  exchange->setVolatile(change.isVolatile());
  expected->addIncoming(builder.CreateExtractValue(exchange, 0), loop);
  builder.CreateCondBr(builder.CreateExtractValue(exchange, 1), after, loop);

  change.replaceAllUsesWith(old);
  change.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses LowerHalfAtomicsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::AtomicRMWInst*> changes;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        change != nullptr && change->getType()->isHalfTy() && change->getOperation() != llvm::AtomicRMWInst::Xchg)
      changes.push_back(change);
  for (llvm::AtomicRMWInst* change : changes)
    lower(*change);
  return changes.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
