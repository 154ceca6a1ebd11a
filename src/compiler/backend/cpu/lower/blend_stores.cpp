// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/blend_stores.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

class Blender {
 public:
  explicit Blender(llvm::Function& function) : function_(function) {}

  void run(llvm::IntrinsicInst& store) {
    Value *value = store.getArgOperand(0), *mask = store.getArgOperand(2);
    const llvm::Align align = store.getParamAlign(1).valueOrOne();
    llvm::IRBuilder<> builder(&store);
    Value* address = liveAddress(builder, store.getArgOperand(1), mask, value->getType());
    // The load and store get no alias scopes: next to an array they also touch other lanes' parts of another array.
    auto* before = builder.CreateAlignedLoad(value->getType(), address, align, "before");
    builder.CreateAlignedStore(builder.CreateSelect(mask, value, before), address, align);
    store.eraseFromParent();
  }

 private:
  Value* liveAddress(llvm::IRBuilder<>& builder, Value* pointer, Value* mask, llvm::Type* type) {
    // A constant mask has an active lane: earlier passes remove stores without one.
    if (const auto* known = llvm::dyn_cast<llvm::Constant>(mask); known != nullptr && !known->isNullValue())
      return pointer;
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
    Value* bits = builder.CreateBitCast(mask, builder.getIntNTy(lanes));
    Value* any = builder.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    return builder.CreateSelect(any, pointer, nowhere(type));
  }

  /// A dummy variable of this type, which is written if no lane is active.
  Value* nowhere(llvm::Type* type) {
    llvm::AllocaInst*& variable = nowhere_[type];
    if (variable == nullptr) {
      llvm::BasicBlock& entry = function_.getEntryBlock();
      variable = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, "nowhere");
    }
    return variable;
  }

  llvm::Function& function_;
  llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> nowhere_;
};

} // namespace

llvm::PreservedAnalyses BlendStoresPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::IntrinsicInst*, 16> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_store &&
        call->hasMetadata(kLocalMemoryName) && cpu_.blends(call->getArgOperand(0)->getType()->getScalarSizeInBits()))
      stores.push_back(call);
  if (stores.empty()) return llvm::PreservedAnalyses::all();
  // Drop `noalias` from local arrays: lanes that are written back as they were may belong to the array beside.
  for (llvm::Argument& argument : function.args())
    if (function.getAttributes().hasParamAttr(argument.getArgNo(), kLocalParameterName))
      argument.removeAttr(llvm::Attribute::NoAlias);
  Blender blender(function);
  for (llvm::IntrinsicInst* store : stores)
    blender.run(*store);
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
