// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/blend_stores.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// The smallest that there are. A page that may be written at one place may be written at all.
constexpr std::uint64_t kPageBytes = 4096;

class Blender {
 public:
  explicit Blender(llvm::Function& function) : function_(function) {}

  void blendLocal(llvm::IntrinsicInst& store) {
    llvm::IRBuilder<> builder(&store);
    blend(builder, store,
          liveAddress(builder, store.getArgOperand(1), store.getArgOperand(2), store.getArgOperand(0)->getType()));
    store.eraseFromParent();
  }

  /// Where some lane is live and all lie in one page; else masked as before, or not at all.
  static void blendLoaded(llvm::IntrinsicInst& store) {
    Value *pointer = store.getArgOperand(1), *mask = store.getArgOperand(2);
    llvm::IRBuilder<> builder(&store);
    Value* live = isAnyLive(builder, mask);
    llvm::Instruction* some = llvm::SplitBlockAndInsertIfThen(live, &store, /*Unreachable=*/false);
    store.moveBefore(some->getIterator());
    builder.SetInsertPoint(&store);
    const std::uint64_t bytes = store.getDataLayout().getTypeStoreSize(store.getArgOperand(0)->getType());
    Value* place = builder.CreateAnd(builder.CreatePtrToInt(pointer, builder.getInt64Ty()), kPageBytes - 1);
    Value* fits = builder.CreateICmpULE(place, builder.getInt64(kPageBytes - bytes));
    llvm::Instruction *then = nullptr, *apart = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(fits, &store, &then, &apart,
                                        llvm::MDBuilder(store.getContext()).createLikelyBranchWeights());
    builder.SetInsertPoint(then);
    blend(builder, store, pointer);
    store.moveBefore(apart->getIterator());
  }

 private:
  static void blend(llvm::IRBuilder<>& builder, const llvm::IntrinsicInst& store, Value* place) {
    Value *value = store.getArgOperand(0), *mask = store.getArgOperand(2);
    const llvm::Align align = store.getParamAlign(1).valueOrOne();
    const llvm::SmallVector<unsigned, 2> scopes = {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias};
    auto* before = builder.CreateAlignedLoad(value->getType(), place, align, "before");
    before->copyMetadata(store, scopes);
    auto* after = builder.CreateAlignedStore(builder.CreateSelect(mask, value, before), place, align);
    after->copyMetadata(store, scopes);
  }

  static Value* isAnyLive(llvm::IRBuilder<>& builder, Value* mask) {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
    return builder.CreateIsNotNull(builder.CreateBitCast(mask, builder.getIntNTy(lanes)));
  }

  Value* liveAddress(llvm::IRBuilder<>& builder, Value* pointer, Value* mask, llvm::Type* type) {
    // Of constants, some lane is known to be live: a store of none would have gone.
    if (const auto* known = llvm::dyn_cast<llvm::Constant>(mask); known != nullptr && !known->isNullValue())
      return pointer;
    return builder.CreateSelect(isAnyLive(builder, mask), pointer, nowhere(type));
  }

  /// One place for each type of value.
  Value* nowhere(llvm::Type* type) {
    llvm::AllocaInst*& place = nowhere_[type];
    if (place == nullptr) {
      llvm::BasicBlock& entry = function_.getEntryBlock();
      place = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, "nowhere");
    }
    return place;
  }

  llvm::Function& function_;
  llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> nowhere_;
};

/// Whether the work-items of all lanes have loaded what is there, before.
bool isLoadedBefore(const llvm::IntrinsicInst& store, const llvm::DominatorTree& dominators) {
  const Value* pointer = store.getArgOperand(1);
  if (llvm::isa<llvm::Constant>(pointer)) return false;
  return llvm::any_of(pointer->users(), [&](const llvm::User* user) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
    return load != nullptr && load->hasMetadata(kMayStoreBackName) &&
           load->getType() == store.getArgOperand(0)->getType() && dominators.dominates(load, &store);
  });
}

} // namespace

llvm::PreservedAnalyses BlendStoresPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<llvm::IntrinsicInst*, 16> local, loaded;
  const llvm::DominatorTree& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (store == nullptr || store->getIntrinsicID() != llvm::Intrinsic::masked_store ||
        !cpu_.blends(store->getArgOperand(0)->getType()->getScalarSizeInBits()))
      continue;
    if (store->hasMetadata(kLocalMemoryName))
      local.push_back(store);
    else if (isLoadedBefore(*store, dominators))
      loaded.push_back(store);
  }
  if (local.empty() && loaded.empty()) return llvm::PreservedAnalyses::all();
  Blender blender(function);
  for (llvm::IntrinsicInst* store : local)
    blender.blendLocal(*store);
  for (llvm::IntrinsicInst* store : loaded)
    Blender::blendLoaded(*store);
  llvm::PreservedAnalyses kept;
  if (loaded.empty()) kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace clotho::compiler
