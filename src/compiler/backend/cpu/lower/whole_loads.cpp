// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/whole_loads.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// The smallest page size. If one byte of a page is readable, so is the whole page.
constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t bytesOf(const llvm::IntrinsicInst& load) {
  return load.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
}

void loadWhole(llvm::IntrinsicInst& load) {
  Value *pointer = load.getArgOperand(0), *mask = load.getArgOperand(1), *otherwise = load.getArgOperand(2);
  const llvm::Align align = load.getParamAlign(0).valueOrOne();
  llvm::IRBuilder<> builder(&load);
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  Value* live = builder.CreateIsNotNull(builder.CreateBitCast(mask, builder.getIntNTy(lanes)));
  Value* offset = builder.CreateAnd(builder.CreatePtrToInt(pointer, builder.getInt64Ty()), kPageBytes - 1);
  Value* fits = builder.CreateICmpULE(offset, builder.getInt64(kPageBytes - bytesOf(load)));
  llvm::Instruction *then = nullptr, *apart = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(builder.CreateAnd(live, fits), &load, &then, &apart,
                                      llvm::MDBuilder(load.getContext()).createLikelyBranchWeights());
  builder.SetInsertPoint(then);
  auto* all = builder.CreateAlignedLoad(load.getType(), pointer, align, "whole");
  all->copyMetadata(load, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
  Value* chosen = builder.CreateSelect(mask, all, otherwise);
  builder.SetInsertPoint(&load);
  llvm::PHINode* result = builder.CreatePHI(load.getType(), 2);
  load.replaceAllUsesWith(result);
  load.moveBefore(apart->getIterator());
  result->addIncoming(chosen, then->getParent());
  result->addIncoming(&load, apart->getParent());
}

} // namespace

llvm::PreservedAnalyses WholeLoadsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::IntrinsicInst*, 16> loads;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_load &&
        !llvm::isa<llvm::Constant>(call->getArgOperand(1)) && bytesOf(*call) <= kPageBytes &&
        cpu_.lacksMaskedLoads(call->getType()->getScalarType()->isPointerTy() ? 64
                                                                              : call->getType()->getScalarSizeInBits()))
      loads.push_back(call);
  for (llvm::IntrinsicInst* load : loads)
    loadWhole(*load);
  return loads.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
