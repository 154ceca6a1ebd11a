// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of the kernel as scalars and vectors of the sub-group function.
#include "compiler/transform/widen/widener.hpp"

#include <llvm/Analysis/VectorUtils.h>

namespace clotho::compiler {

using llvm::Value;

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

void Widener::definePacked(Value* original, Value* packed) {
  define(original, {LaneShape::varying(), nullptr, {}, packed});
}

void Widener::defineWidened(Value* original, llvm::ArrayRef<Value*> widened) {
  if (plan_.packed.contains(original))
    definePacked(original, widened.front());
  else
    defineParts(original, widened);
}

Value* Widener::splat(Value* scalar) { return builder_.CreateVectorSplat(plan_.width, scalar); }

/// One lane's value, if it is affine.
Value* Widener::affineLane(Value* value, unsigned lane) {
  const std::int64_t distance = plan_.shapes.of(value).stride() * static_cast<std::int64_t>(lane);
  if (distance == 0) return uniform(value);
  if (value->getType()->isPointerTy())
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), uniform(value), static_cast<std::uint64_t>(distance));
  return builder_.CreateAdd(uniform(value), llvm::ConstantInt::getSigned(value->getType(), distance));
}

/// `count` elements of the vector, from `first` on.
Value* Widener::slice(Value* vector, unsigned first, unsigned count) {
  if (llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements() == count) return vector;
  return builder_.CreateShuffleVector(vector, llvm::createSequentialMask(first, count, /*NumUndefs=*/0));
}

/// The constant stride * <0, 1, 2, ...>, each number repeated `lanesOfStep` times.
Value* Widener::laneNumbers(llvm::Type* element, std::int64_t stride, unsigned lanesOfStep) {
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  const unsigned bits = element->getIntegerBitWidth();
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    numbers.push_back(llvm::ConstantInt::get(
        element, llvm::APInt(64, static_cast<std::uint64_t>(stride) * (lane / lanesOfStep)).zextOrTrunc(bits)));
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
  if (lanes.shape.isVarying()) {
    if (!lanes.parts.empty()) return lanes.parts;
    return values_[value].parts = unpack(lanes.packed, value->getType());
  }
  if (llvm::isa<llvm::Constant>(value)) return materialise(lanes, value->getType());
  auto& [block, parts] = made_[value];
  if (block != builder_.GetInsertBlock() || parts.empty()) {
    parts = materialise(lanes, value->getType());
    block = builder_.GetInsertBlock();
  }
  return parts;
}

llvm::FixedVectorType* Widener::packedType(llvm::Type* vector) {
  const unsigned elements = llvm::cast<llvm::FixedVectorType>(vector)->getNumElements();
  return llvm::FixedVectorType::get(vector->getScalarType(), elements * plan_.width);
}

llvm::SmallVector<llvm::Type*, 4> Widener::widenedTypes(llvm::Type* type, bool isPacked) {
  if (isPacked) return {packedType(type)};
  auto types = scalarsOf(type);
  for (llvm::Type*& scalar : types)
    scalar = wide(scalar);
  return types;
}

llvm::SmallVector<Value*, 4> Widener::widened(Value* value, bool isPacked) {
  if (isPacked) return {packed(value)};
  return vectors(value);
}

/// Repeats each lane `times` times; copies after the first `used` are zero.
Value* Widener::repeatLanes(Value* lanes, unsigned times, unsigned used) {
  llvm::SmallVector<int, 64> from;
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    for (unsigned i = 0; i < times; ++i)
      from.push_back(i < used ? static_cast<int>(lane) : static_cast<int>(plan_.width));
  return builder_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()), from);
}

namespace {

/// Bits of a small vector of small scalars, which is packed and unpacked as one integer for each lane; 0 for other
/// types.
unsigned smallVectorBits(llvm::Type* type) {
  const unsigned bits = type->getPrimitiveSizeInBits(), each = type->getScalarSizeInBits();
  return each >= 8 && each < 32 && (bits == 16 || bits == 32 || bits == 64) ? bits : 0;
}

} // namespace

Value* Widener::pack(llvm::ArrayRef<Value*> parts, llvm::Type* type) {
  if (const unsigned bits = smallVectorBits(type))
    return builder_.CreateBitCast(regroup(parts, {builder_.getIntNTy(bits)}).front(), packedType(type));
  return builder_.CreateShuffleVector(llvm::concatenateVectors(builder_, parts),
                                      llvm::createInterleaveMask(plan_.width, parts.size()));
}

/// Unpacks the vector where it is defined, so that all later uses share the parts.
llvm::SmallVector<Value*, 4> Widener::unpack(Value* packed, llvm::Type* type) {
  const Builder::InsertPointGuard guard(builder_);
  if (auto* made = llvm::dyn_cast<llvm::Instruction>(packed))
    builder_.SetInsertPoint(made->getParent(), llvm::isa<llvm::PHINode>(made) ? made->getParent()->getFirstInsertionPt()
                                                                              : std::next(made->getIterator()));
  const auto scalars = scalarsOf(type);
  if (const unsigned bits = smallVectorBits(type))
    return regroup({builder_.CreateBitCast(builder_.CreateFreeze(packed), wide(builder_.getIntNTy(bits)))}, scalars);
  if (!llvm::isPowerOf2_64(scalars.size())) {
    llvm::SmallVector<Value*, 4> parts;
    for (unsigned part = 0; part < scalars.size(); ++part)
      parts.push_back(builder_.CreateShuffleVector(packed, llvm::createStrideMask(part, scalars.size(), plan_.width)));
    return parts;
  }
  if (auto parts = unpackTiles(packed, type->getScalarType(), scalars.size()); !parts.empty()) return parts;
  // Splits into even and odd elements repeatedly: each result is made from at most two vectors, by one instruction.
  llvm::SmallVector<Value*, 4> parts = {packed};
  for (unsigned left = scalars.size(); left > 1; left /= 2) {
    llvm::SmallVector<Value*, 4> halves;
    for (const unsigned odd : {0u, 1u})
      for (Value* part : parts)
        halves.push_back(builder_.CreateShuffleVector(part, llvm::createStrideMask(odd, 2, plan_.width * left / 2)));
    parts = std::move(halves);
  }
  return parts;
}

Value* Widener::packed(Value* value) {
  const Lanes lanes = lanesOf(value);
  if (lanes.packed != nullptr) return lanes.packed;
  auto& [block, made] = packedHere_[value];
  if (block == builder_.GetInsertBlock()) return made;
  block = builder_.GetInsertBlock();
  if (lanes.shape.isVarying()) return made = pack(lanes.parts, value->getType());
  llvm::SmallVector<int, 64> from;
  const unsigned elements = scalarsOf(value->getType()).size();
  for (unsigned i = 0; i < elements * plan_.width; ++i)
    from.push_back(static_cast<int>(i % elements));
  return made = builder_.CreateShuffleVector(lanes.first, from);
}

/// The value of one lane.
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
