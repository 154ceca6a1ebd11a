// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/access_all_lanes.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/Loads.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// A gather or scatter.
class LaneAccess {
 public:
  explicit LaneAccess(llvm::IntrinsicInst& call)
      : call_(call), isGather_(call.getIntrinsicID() == llvm::Intrinsic::masked_gather) {}

  Value* pointers() const { return call_.getArgOperand(isGather_ ? 0 : 1); }
  Value* mask() const { return call_.getArgOperand(isGather_ ? 1 : 2); }
  llvm::VectorType* type() const {
    return llvm::cast<llvm::VectorType>(isGather_ ? call_.getType() : call_.getArgOperand(0)->getType());
  }
  llvm::Align align() const { return call_.getParamAlign(isGather_ ? 0 : 1).valueOrOne(); }

  bool hasInstruction(const llvm::TargetTransformInfo& target) const {
    return isGather_
               ? target.isLegalMaskedGather(type(), align()) && !target.forceScalarizeMaskedGather(type(), align())
               : target.isLegalMaskedScatter(type(), align()) && !target.forceScalarizeMaskedScatter(type(), align());
  }

  /// `element` makes a place that may be read and written.
  void takeMaskOff(llvm::function_ref<Value*(llvm::Type&)> element) {
    llvm::IRBuilder<> builder(&call_);
    Value* const mask = this->mask();
    Value* places = isGather_ ? placesInTable(builder) : nullptr;
    if (places == nullptr)
      places = builder.CreateSelect(
          mask, pointers(), builder.CreateVectorSplat(type()->getElementCount(), element(*type()->getElementType())));
    Value* all = builder.getAllOnesMask(type()->getElementCount());
    if (!isGather_) {
      call_.setArgOperand(1, places);
      call_.setArgOperand(2, all);
      return;
    }
    Value* otherwise = call_.getArgOperand(2);
    llvm::CallInst* loaded = builder.CreateMaskedGather(type(), places, align(), all, llvm::PoisonValue::get(type()));
    loaded->copyMetadata(call_, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
    Value* result = llvm::isa<llvm::UndefValue>(otherwise) ? loaded : builder.CreateSelect(mask, loaded, otherwise);
    call_.replaceAllUsesWith(result);
    call_.eraseFromParent();
  }

 private:
  /// What a gather reads if its lanes are elements of one table that is surely there: element 0 in lanes that are not
  /// live. Null otherwise. A narrow index makes fewer vectors than pointers do.
  Value* placesInTable(llvm::IRBuilder<>& builder) const {
    auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers());
    if (gep == nullptr || gep->getNumIndices() != 1) return nullptr;
    Value* table = gep->getPointerOperand();
    if (table->getType()->isVectorTy()) table = llvm::getSplatValue(table);
    Value* index = gep->getOperand(1);
    if (table == nullptr || !index->getType()->isVectorTy() ||
        !llvm::isDereferenceableAndAlignedPointer(table, type()->getElementType(), align(), call_.getDataLayout()))
      return nullptr;
    auto* extension = llvm::dyn_cast<llvm::CastInst>(index);
    const bool isNarrow = extension != nullptr && llvm::isa<llvm::ZExtInst, llvm::SExtInst>(extension);
    if (isNarrow) index = extension->getOperand(0);
    index = builder.CreateSelect(mask(), index, llvm::Constant::getNullValue(index->getType()));
    if (isNarrow) index = builder.CreateCast(extension->getOpcode(), index, extension->getType());
    return builder.CreateGEP(gep->getSourceElementType(), table, index);
  }

  llvm::IntrinsicInst& call_;
  bool isGather_;
};

} // namespace

llvm::PreservedAnalyses AccessAllLanesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  llvm::SmallVector<LaneAccess, 16> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || (call->getIntrinsicID() != llvm::Intrinsic::masked_gather &&
                            call->getIntrinsicID() != llvm::Intrinsic::masked_scatter))
      continue;
    const LaneAccess access(*call);
    if (!llvm::isa<llvm::Constant>(access.mask()) && !access.hasInstruction(target)) accesses.push_back(access);
  }
  if (accesses.empty()) return llvm::PreservedAnalyses::all();
  llvm::MapVector<llvm::Type*, Value*> elements;
  llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  for (LaneAccess& access : accesses)
    access.takeMaskOff([&](llvm::Type& type) {
      Value*& element = elements[&type];
      if (element == nullptr) element = entry.CreateAlloca(&type, nullptr, "not.live");
      return element;
    });
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace clotho::compiler
