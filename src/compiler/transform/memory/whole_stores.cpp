// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/whole_stores.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// Masked stores under one mask in one block, between which nothing happens that another thread or a trap could tell.
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

} // namespace

llvm::PreservedAnalyses WholeStoresPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<Stores, 8> found;
  for (llvm::BasicBlock& block : function) {
    bool isApart = true; // from the store before
    for (llvm::Instruction& instruction : block) {
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
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
