// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/sub_group_blocks.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/sub_group_operations.hpp"

namespace clotho::compiler {
namespace {

using llvm::IRBuilderBase;
using llvm::Value;

unsigned countOf(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr ? vector->getNumElements() : 1;
}

Value* beginOf(IRBuilderBase& builder, Value& pointer) {
  return createSubGroupCall(builder, {SubGroupOperation::First, Combination::None}, {&pointer});
}

/// Address of this lane's element `number` in a block, which has element 0 of all lanes, then element 1, and so on.
Value* elementAddress(IRBuilderBase& builder, Value* begin, llvm::Type* element, unsigned number) {
  Value* width = createIntrinsic(builder, Intrinsic::SubGroupWidth);
  Value* before = builder.CreateMul(width, builder.getInt64(number));
  return builder.CreateGEP(element, begin,
                           builder.CreateAdd(createIntrinsic(builder, Intrinsic::SubGroupLane), before));
}

llvm::Align alignOf(llvm::Type* element) { return llvm::Align(element->getScalarSizeInBits() / 8); }

} // namespace

Value* createBlockRead(IRBuilderBase& builder, Value& pointer, llvm::Type* type) {
  llvm::Type* element = type->getScalarType();
  Value* begin = beginOf(builder, pointer);
  Value* result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < countOf(type); ++i) {
    Value* loaded = builder.CreateAlignedLoad(element, elementAddress(builder, begin, element, i), alignOf(element));
    result = type->isVectorTy() ? builder.CreateInsertElement(result, loaded, i) : loaded;
  }
  return result;
}

Value* createBlockWrite(IRBuilderBase& builder, Value& pointer, Value& data) {
  llvm::Type *type = data.getType(), *element = type->getScalarType();
  Value* begin = beginOf(builder, pointer);
  for (unsigned i = 0; i < countOf(type); ++i) {
    Value* stored = type->isVectorTy() ? builder.CreateExtractElement(&data, i) : &data;
    builder.CreateAlignedStore(stored, elementAddress(builder, begin, element, i), alignOf(element));
  }
  return begin;
}

} // namespace clotho::compiler
