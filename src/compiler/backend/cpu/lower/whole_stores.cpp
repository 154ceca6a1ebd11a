// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/whole_stores.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// Masked stores with one mask in one block. No other thread can observe their order, nor can a trap come between them.
using Stores = llvm::SmallVector<llvm::IntrinsicInst*, 4>;

Value* maskOf(const llvm::IntrinsicInst& store) { return store.getArgOperand(2); }

void storeWhole(const Stores& stores) {
  Value* mask = maskOf(*stores.front());
  llvm::IRBuilder<> builder(stores.back());
  Value* bits = builder.CreateBitCast(
      mask, builder.getIntNTy(llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements()));
  llvm::Instruction *whole = nullptr, *some = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(builder.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType())),
                                      stores.back(), &whole, &some,
                                      llvm::MDBuilder(mask->getContext()).createLikelyBranchWeights());
  builder.SetInsertPoint(whole);
  for (llvm::IntrinsicInst* store : stores) {
    auto* all = builder.CreateAlignedStore(store->getArgOperand(0), store->getArgOperand(1),
                                           store->getParamAlign(1).valueOrOne());
    all->copyMetadata(*store, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
    store->moveBefore(some->getIterator());
  }
}

/// Keeps a blend from becoming a masked store: LLVM's instruction selection makes one of `*p = select(mask, value,
/// *p)`, unless the load has another use.
bool keepBlend(llvm::StoreInst& store) {
  auto* chosen = llvm::dyn_cast<llvm::SelectInst>(store.getValueOperand());
  if (chosen == nullptr || !chosen->getCondition()->getType()->isVectorTy()) return false;
  bool changed = false;
  for (unsigned i : {1U, 2U}) {
    auto* before = llvm::dyn_cast<llvm::LoadInst>(chosen->getOperand(i));
    if (before == nullptr || before->getPointerOperand() != store.getPointerOperand()) continue;
    llvm::IRBuilder<> builder(chosen);
    chosen->setOperand(i, builder.CreateFreeze(before));
    changed = true;
  }
  return changed;
}

} // namespace

llvm::PreservedAnalyses WholeStoresPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<Stores, 8> found;
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    bool isApart = true; // something separates the next store from the one before
    for (llvm::Instruction& instruction : block) {
      if (auto* plain = llvm::dyn_cast<llvm::StoreInst>(&instruction);
          plain != nullptr && cpu_.blends(plain->getValueOperand()->getType()->getScalarSizeInBits()))
        changed |= keepBlend(*plain);
      auto* store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (store == nullptr || store->getIntrinsicID() != llvm::Intrinsic::masked_store) {
        isApart |= instruction.mayReadOrWriteMemory() || instruction.mayThrow() || !instruction.willReturn();
        continue;
      }
      const llvm::Type* element = store->getArgOperand(0)->getType()->getScalarType();
      const unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
      if (llvm::isa<llvm::Constant>(maskOf(*store)) || !cpu_.blends(bits)) {
        isApart = true;
        continue;
      }
      if (isApart || maskOf(*found.back().back()) != maskOf(*store)) found.emplace_back();
      found.back().push_back(store);
      isApart = false;
    }
  }
  for (const Stores& stores : found)
    storeWhole(stores);
  return found.empty() && !changed ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
