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
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

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

  /// Accesses in all lanes. `element` creates an alloca of the type, which inactive lanes access.
  void takeMaskOff(llvm::function_ref<Value*(llvm::Type&)> element) {
    llvm::IRBuilder<> builder(&call_);
    Value* const mask = this->mask();
    Value* addresses = isGather_ ? pointersIntoTable(builder) : nullptr;
    if (addresses == nullptr)
      addresses = builder.CreateSelect(
          mask, pointers(), builder.CreateVectorSplat(type()->getElementCount(), element(*type()->getElementType())));
    Value* all = builder.getAllOnesMask(type()->getElementCount());
    if (!isGather_) {
      call_.setArgOperand(1, addresses);
      call_.setArgOperand(2, all);
      return;
    }
    Value* otherwise = call_.getArgOperand(2);
    llvm::CallInst* loaded =
        builder.CreateMaskedGather(type(), addresses, align(), all, llvm::PoisonValue::get(type()));
    loaded->copyMetadata(call_, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
    Value* result = llvm::isa<llvm::UndefValue>(otherwise) ? loaded : builder.CreateSelect(mask, loaded, otherwise);
    call_.replaceAllUsesWith(result);
    call_.eraseFromParent();
  }

 private:
  /// Pointers for a gather from a table that is known to be dereferenceable: to element 0 in inactive lanes. Null for
  /// other gathers. The select is one of indices, since narrow ones need fewer vectors than pointers.
  Value* pointersIntoTable(llvm::IRBuilder<>& builder) const {
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

/// LLVM expands masked loads and stores of at most so many lanes. Its branches for more take long to compile.
constexpr unsigned kMostBranches = 32;

/// A masked load or store of consecutive elements.
class RowAccess {
 public:
  explicit RowAccess(llvm::IntrinsicInst& call)
      : call_(call), isLoad_(call.getIntrinsicID() == llvm::Intrinsic::masked_load) {}

  Value* pointer() const { return call_.getArgOperand(isLoad_ ? 0 : 1); }
  Value* mask() const { return call_.getArgOperand(isLoad_ ? 1 : 2); }
  llvm::FixedVectorType* type() const {
    return llvm::cast<llvm::FixedVectorType>(isLoad_ ? call_.getType() : call_.getArgOperand(0)->getType());
  }
  llvm::Align align() const { return call_.getParamAlign(isLoad_ ? 0 : 1).valueOrOne(); }

  bool hasInstruction(const llvm::TargetTransformInfo& target) const {
    const unsigned space = pointer()->getType()->getPointerAddressSpace();
    return isLoad_ ? target.isLegalMaskedLoad(type(), align(), space)
                   : target.isLegalMaskedStore(type(), align(), space);
  }

  llvm::Type* flagsType() const { return type()->getWithNewType(llvm::Type::getInt8Ty(call_.getContext())); }

  /// Replaces the access by a loop over its lanes. `values` and `live`: allocas of type() and flagsType().
  void writeLoop(Value* values, Value* live) {
    llvm::IRBuilder<> builder(&call_);
    llvm::Type* const element = type()->getElementType();
    Value* const first = pointer();
    builder.CreateStore(builder.CreateZExt(mask(), flagsType()), live);
    builder.CreateStore(isLoad_ ? call_.getArgOperand(2) : call_.getArgOperand(0), values);
    const auto [body, lane] =
        llvm::SplitBlockAndInsertSimpleForLoop(builder.getInt64(type()->getNumElements()), call_.getIterator());
    builder.SetInsertPoint(body);
    Value* isLive = builder.CreateIsNotNull(
        builder.CreateLoad(builder.getInt8Ty(), builder.CreateGEP(builder.getInt8Ty(), live, lane)));
    builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(isLive, body, /*Unreachable=*/false));
    const auto bytes = call_.getDataLayout().getTypeStoreSize(element).getFixedValue();
    const llvm::Align each = llvm::commonAlignment(align(), bytes);
    Value* outside = builder.CreateGEP(element, first, lane);
    Value* inside = builder.CreateGEP(element, values, lane);
    llvm::LoadInst* loaded =
        builder.CreateAlignedLoad(element, isLoad_ ? outside : inside, isLoad_ ? each : llvm::Align(bytes));
    llvm::StoreInst* stored =
        builder.CreateAlignedStore(loaded, isLoad_ ? inside : outside, isLoad_ ? llvm::Align(bytes) : each);
    (isLoad_ ? static_cast<llvm::Instruction*>(loaded) : stored)
        ->copyMetadata(call_, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
    builder.SetInsertPoint(&call_);
    if (isLoad_) call_.replaceAllUsesWith(builder.CreateLoad(type(), values));
    call_.eraseFromParent();
  }

  bool isLong() const {
    const llvm::DataLayout& layout = call_.getDataLayout();
    return type()->getNumElements() > kMostBranches && layout.typeSizeEqualsStoreSize(type()->getElementType()) &&
           llvm::isPowerOf2_64(layout.getTypeStoreSize(type()->getElementType()));
  }

 private:
  llvm::IntrinsicInst& call_;
  bool isLoad_;
};

} // namespace

llvm::PreservedAnalyses AccessAllLanesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  llvm::SmallVector<LaneAccess, 16> accesses;
  llvm::SmallVector<RowAccess, 8> rows;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) continue;
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_scatter:
      if (const LaneAccess access(*call); !llvm::isa<llvm::Constant>(access.mask()) && !access.hasInstruction(target))
        accesses.push_back(access);
      break;
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_store:
      if (const RowAccess row(*call);
          !llvm::isa<llvm::Constant>(row.mask()) && row.isLong() && !row.hasInstruction(target))
        rows.push_back(row);
      break;
    default: break;
    }
  }
  if (accesses.empty() && rows.empty()) return llvm::PreservedAnalyses::all();
  using Allocas = llvm::MapVector<llvm::Type*, llvm::AllocaInst*>;
  Allocas values, flags;
  const auto allocaOf = [&](Allocas& allocas, llvm::Type* type) {
    llvm::AllocaInst*& found = allocas[type];
    llvm::BasicBlock& entry = function.getEntryBlock();
    if (found == nullptr)
      found = llvm::IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(type, nullptr, "lanes");
    return found;
  };
  for (LaneAccess& access : accesses)
    access.takeMaskOff([&](llvm::Type& type) {
      llvm::AllocaInst* element = allocaOf(values, &type);
      element->setAlignment(std::max(element->getAlign(), access.align()));
      return element;
    });
  for (RowAccess& row : rows)
    row.writeLoop(allocaOf(values, row.type()), allocaOf(flags, row.flagsType()));
  if (!rows.empty()) return llvm::PreservedAnalyses::none();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
