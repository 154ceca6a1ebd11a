// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/element_alignment.hpp"

#include "compiler/ir/kernels.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::Align;

constexpr unsigned kLocalSpace = 3;

/// Least alignment of vector elements in the type; nothing if it contains no vectors.
std::optional<Align> elementAlignment(llvm::Type* type, const llvm::DataLayout& layout) {
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return layout.getABITypeAlign(vector->getElementType());
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return elementAlignment(array->getElementType(), layout);
  std::optional<Align> least;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type))
    for (llvm::Type* member : structure->elements())
      if (const auto found = elementAlignment(member, layout)) least = std::min(*found, least.value_or(*found));
  return least;
}

/// The alignment to assume instead of the claimed one.
Align loosened(llvm::Type* type, Align claimed, const llvm::DataLayout& layout) {
  const auto element = elementAlignment(type, layout);
  return element && claimed <= layout.getABITypeAlign(type) ? std::min(claimed, *element) : claimed;
}

/// The type at the pointer, if the IR tells it and it has this size; otherwise null.
llvm::Type* typeAt(const llvm::Value* pointer, std::uint64_t bytes, const llvm::DataLayout& layout) {
  pointer = pointer->stripPointerCasts();
  llvm::Type* type = nullptr;
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(pointer)) type = variable->getAllocatedType();
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer)) type = variable->getValueType();
  if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) type = address->getResultElementType();
  return type != nullptr && type->isSized() && layout.getTypeAllocSize(type) == bytes ? type : nullptr;
}

/// The type that is copied or filled, from the destination or the source.
llvm::Type* typeOf(const llvm::MemIntrinsic& memory, const llvm::DataLayout& layout) {
  const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(memory.getLength());
  if (bytes == nullptr) return nullptr;
  if (llvm::Type* type = typeAt(memory.getRawDest(), bytes->getZExtValue(), layout)) return type;
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&memory);
  return copy != nullptr ? typeAt(copy->getRawSource(), bytes->getZExtValue(), layout) : nullptr;
}

/// The type of the variable that the pointer points into; null if it points into none.
llvm::Type* variableTypeAt(const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(object)) return variable->getAllocatedType();
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) return variable->getValueType();
  return nullptr;
}

/// The type of the variable of which a part is copied or filled, from the destination or the source.
llvm::Type* typeAroundOf(const llvm::MemIntrinsic& memory) {
  llvm::Type* type = variableTypeAt(memory.getRawDest());
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&memory);
  return type == nullptr && copy != nullptr ? variableTypeAt(copy->getRawSource()) : type;
}

/// Alignment to assume for the source or destination of a copy. A copy of part of a variable has the alignment of the
/// variable's elements, unless more than the type's own is claimed. Byte arrays may hold anything. If the type is
/// unknown, nothing is assumed.
Align loosenedCopy(const llvm::MemIntrinsic& memory, llvm::MaybeAlign claimed, const llvm::DataLayout& layout) {
  llvm::Type* type = typeOf(memory, layout);
  if (type == nullptr) {
    type = typeAroundOf(memory);
    if (type != nullptr && (!type->isSized() || claimed.valueOrOne() > layout.getABITypeAlign(type))) type = nullptr;
  }
  return type != nullptr ? loosened(type, claimed.valueOrOne(), layout) : Align(1);
}

void loosen(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (!load->isAtomic()) load->setAlignment(loosened(load->getType(), load->getAlign(), layout));
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!store->isAtomic())
      store->setAlignment(loosened(store->getValueOperand()->getType(), store->getAlign(), layout));
  } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(call)) {
      memory->setDestAlignment(loosenedCopy(*memory, memory->getDestAlign(), layout));
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory))
        copy->setSourceAlignment(loosenedCopy(*memory, copy->getSourceAlign(), layout));
    } else {
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (!call->isPassPointeeByValueArgument(i)) call->removeParamAttr(i, llvm::Attribute::Alignment);
    }
  }
}

} // namespace

llvm::PreservedAnalyses ElementAlignmentPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module) {
    for (llvm::Argument& argument : function.args()) {
      // Arguments in local memory are allocated with their pointee's alignment.
      const bool isAllocatedByRuntime = isKernel(function) && argument.getType()->isPointerTy() &&
                                        argument.getType()->getPointerAddressSpace() == kLocalSpace;
      if (!isAllocatedByRuntime && !argument.hasPassPointeeByValueCopyAttr() && !function.isIntrinsic())
        argument.removeAttr(llvm::Attribute::Alignment);
    }
    for (llvm::Instruction& instruction : llvm::instructions(function))
      loosen(instruction, module.getDataLayout());
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
