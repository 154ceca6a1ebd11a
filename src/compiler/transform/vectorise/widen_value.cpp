// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of the kernel as scalars and vectors of the sub-group function.
#include "compiler/transform/vectorise/widener.hpp"

namespace clotho::compiler {

using llvm::Value;

llvm::SmallVector<llvm::Type*, 4> scalarsOf(llvm::Type* type) {
  llvm::SmallVector<llvm::Type*, 4> scalars;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    scalars.assign(vector->getNumElements(), vector->getElementType());
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const auto element = scalarsOf(array->getElementType());
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      scalars.append(element);
  } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type* member : structure->elements())
      scalars.append(scalarsOf(member));
  } else if (!type->isVoidTy()) {
    scalars.push_back(type);
  }
  return scalars;
}

Lanes Widener::lanesOf(Value* value) {
  const auto found = values_.find(value);
  if (found != values_.end()) return found->second;
  if (llvm::isa<llvm::Instruction>(value))
    llvm::report_fatal_error("the vectoriser uses " + value->getName() + " before it is written");
  return {LaneShape::uniform(), value, {}};
}

Value* Widener::uniform(Value* value) {
  const Lanes lanes = lanesOf(value);
  assert(lanes.shape.isAffine());
  return lanes.first;
}

void Widener::defineParts(Value* original, llvm::ArrayRef<Value*> parts) {
  define(original, {LaneShape::varying(), nullptr, llvm::SmallVector<Value*, 4>(parts)});
}

Value* Widener::splat(Value* scalar) { return builder_.CreateVectorSplat(plan_.width, scalar); }

/// stride * <0, 1, 2, ...>
Value* Widener::laneNumbers(llvm::Type* element, std::int64_t stride) {
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  const unsigned bits = element->getIntegerBitWidth();
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    numbers.push_back(
        llvm::ConstantInt::get(element, llvm::APInt(64, static_cast<std::uint64_t>(stride) * lane).zextOrTrunc(bits)));
  return llvm::ConstantVector::get(numbers);
}

namespace {

void split(llvm::IRBuilder<>& builder, Value* value, llvm::SmallVectorImpl<Value*>& scalars) {
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType())) {
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      scalars.push_back(builder.CreateExtractElement(value, i));
  } else if (value->getType()->isAggregateType()) {
    const unsigned count = value->getType()->isStructTy() ? value->getType()->getStructNumElements()
                                                          : value->getType()->getArrayNumElements();
    for (unsigned i = 0; i < count; ++i)
      split(builder, builder.CreateExtractValue(value, i), scalars);
  } else {
    scalars.push_back(value);
  }
}

Value* join(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::ArrayRef<Value*>& scalars) {
  const auto next = [&] {
    Value* scalar = scalars.front();
    scalars = scalars.drop_front();
    return scalar;
  };
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    Value* result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      result = builder.CreateInsertElement(result, next(), i);
    return result;
  }
  if (type->isAggregateType()) {
    Value* result = llvm::PoisonValue::get(type);
    const unsigned count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
    for (unsigned i = 0; i < count; ++i) {
      llvm::Type* member = type->isStructTy() ? type->getStructElementType(i) : type->getArrayElementType();
      result = builder.CreateInsertValue(result, join(builder, member, scalars), i);
    }
    return result;
  }
  return next();
}

} // namespace

llvm::SmallVector<Value*, 4> Widener::materialise(const Lanes& lanes, llvm::Type* type) {
  llvm::SmallVector<Value*, 4> scalars;
  split(builder_, lanes.first, scalars);
  for (Value*& scalar : scalars)
    scalar = splat(scalar);
  if (lanes.shape.stride() == 0) return scalars;
  const std::int64_t stride = lanes.shape.stride();
  if (type->isPointerTy()) return {builder_.CreatePtrAdd(lanes.first, laneNumbers(builder_.getInt64Ty(), stride))};
  return {builder_.CreateAdd(scalars.front(), laneNumbers(type, stride))};
}

llvm::SmallVector<Value*, 4> Widener::vectors(Value* value) {
  const Lanes lanes = lanesOf(value);
  if (lanes.shape.isVarying()) return lanes.parts;
  if (llvm::isa<llvm::Constant>(value)) return materialise(lanes, value->getType());
  auto& [block, parts] = made_[value];
  if (block != builder_.GetInsertBlock() || parts.empty()) {
    parts = materialise(lanes, value->getType());
    block = builder_.GetInsertBlock();
  }
  return parts;
}

/// One lane's value.
Value* Widener::packLane(llvm::ArrayRef<Value*> parts, llvm::Type* type, Value* lane) {
  llvm::SmallVector<Value*, 4> scalars;
  for (Value* part : parts)
    scalars.push_back(builder_.CreateExtractElement(part, lane));
  llvm::ArrayRef<Value*> rest = scalars;
  return join(builder_, type, rest);
}

void Widener::unpackLane(Value* value, llvm::MutableArrayRef<Value*> parts, Value* lane) {
  llvm::SmallVector<Value*, 4> scalars;
  split(builder_, value, scalars);
  for (auto [part, scalar] : llvm::zip(parts, scalars))
    part = builder_.CreateInsertElement(part, scalar, lane);
}

} // namespace clotho::compiler
