// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions without side effects.
#include "compiler/ir/local_memory.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/transform/widen/widener.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {

using llvm::Instruction;
using llvm::Value;

namespace {

bool isLaneByLane(const Instruction& instruction) {
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return true;
  return llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) && isLaneAfterLane(instruction);
}

/// Position of an aggregate's member among its scalars.
unsigned firstScalar(llvm::Type* type, llvm::ArrayRef<unsigned> indices) {
  unsigned first = 0;
  for (const unsigned index : indices) {
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      for (unsigned i = 0; i < index; ++i)
        first += scalarsOf(structure->getElementType(i)).size();
      type = structure->getElementType(index);
    } else {
      type = type->getArrayElementType();
      first += index * scalarsOf(type).size();
    }
  }
  return first;
}

} // namespace

void Widener::widen(Instruction& instruction) {
  builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
  if (plan_.arrays.isReplaced(&instruction)) return;
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return widenCall(*call);
  if (llvm::isa<llvm::AllocaInst>(instruction)) return; // createPrivateMemory widens it.
  if (isLaneByLane(instruction)) return widenLaneByLane(instruction);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return widenStore(*store);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return widenLoad(*load);
  // The remaining instructions access no memory, so all lanes run them together.
  const LaneShape shape = plan_.shapes.of(&instruction);
  if (shape.isAffine()) return copyScalar(instruction, shape);
  switch (instruction.getOpcode()) {
  case Instruction::GetElementPtr: return widenAddress(llvm::cast<llvm::GetElementPtrInst>(instruction));
  case Instruction::Select: return widenSelect(llvm::cast<llvm::SelectInst>(instruction));
  case Instruction::BitCast: return widenBitCast(llvm::cast<llvm::CastInst>(instruction));
  case Instruction::ExtractElement:
  case Instruction::InsertElement: return widenVariableElement(instruction);
  case Instruction::ShuffleVector:
  case Instruction::ExtractValue:
  case Instruction::InsertValue: return widenAggregate(instruction);
  case Instruction::Fence: builder_.Insert(instruction.clone()); return;
  default: return widenElementwise(instruction);
  }
}

/// Copies the instruction for lane 0, from which other lanes follow. Poison-generating flags may not hold for an
/// inactive lane 0.
void Widener::copyScalar(Instruction& instruction, LaneShape shape) {
  // A uniform result, such as a difference, may have varying operands.
  const bool isOfLanes = !shape.isUniform() || llvm::any_of(instruction.operands(), [&](const llvm::Use& operand) {
    return !plan_.shapes.of(operand).isUniform();
  });
  if (isOfLanes) {
    if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction))
      return widenAffineExtension(llvm::cast<llvm::CastInst>(instruction));
    if (instruction.getOpcode() == Instruction::Or) {
      Value* sum = builder_.CreateAdd(uniform(instruction.getOperand(0)), uniform(instruction.getOperand(1)));
      return define(&instruction, {shape, sum, {}});
    }
  }
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
    if (Value* split = addressInTwoSteps(*address)) return define(&instruction, {shape, split, {}});
  Instruction* copy = instruction.clone();
  for (llvm::Use& operand : copy->operands())
    if (!llvm::isa<llvm::BasicBlock>(operand) && !llvm::isa<llvm::MetadataAsValue>(operand))
      operand.set(uniform(operand));
  if (isOfLanes) copy->dropPoisonGeneratingFlags();
  // Lane numbers are constant, and so are values computed from them.
  if (llvm::Constant* known = matchSubGroupCall(copy) || copy->mayReadOrWriteMemory()
                                  ? nullptr
                                  : llvm::ConstantFoldInstruction(copy, layout_)) {
    copy->deleteValue();
    return define(&instruction, {shape, known, {}});
  }
  builder_.Insert(copy, instruction.getName());
  define(&instruction, {shape, copy, {}});
}

namespace {

/// Terms of a sum without overflow, looking through nested sums to a limited depth.
struct Terms {
  struct Term {
    Value* value;
    bool isAdded;
  };
  llvm::SmallVector<Term, 4> shared, own; ///< uniform terms, and varying ones

  void add(Value* value, bool isAdded, const LaneShapes& shapes, unsigned depth = 4) {
    if (shapes.of(value).isUniform()) return shared.push_back({value, isAdded});
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
    const bool isSum = sum != nullptr && depth != 0 && sum->getOpcode() == Instruction::Add;
    const bool isDifference = sum != nullptr && depth != 0 && sum->getOpcode() == Instruction::Sub;
    if (!(isSum || isDifference) || !sum->hasNoSignedWrap()) return own.push_back({value, isAdded});
    add(sum->getOperand(0), isAdded, shapes, depth - 1);
    add(sum->getOperand(1), isAdded == isSum, shapes, depth - 1);
  }
};

} // namespace

/// Sum of the extended terms for lane 0. Uniform terms are added separately, so that LICM hoists them out of loops over
/// sub-groups. The extended sum equals it only if no lane has poison, so all lanes must use the sum.
Value* Widener::sumOfExtensions(llvm::CastInst& extension) {
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(extension.getOperand(0));
  // With at least twice the bits, the sum of the few extended terms does not overflow.
  const bool isTwice = extension.getType()->getScalarSizeInBits() >= 2 * extension.getSrcTy()->getScalarSizeInBits();
  if (sum == nullptr || mask_ != nullptr || !isTwice) return nullptr;
  Terms terms;
  terms.add(extension.getOperand(0), /*isAdded=*/true, plan_.shapes);
  if (terms.shared.empty() || terms.own.empty() || !llvm::programUndefinedIfPoison(sum)) return nullptr;
  const auto total = [&](llvm::ArrayRef<Terms::Term> of) {
    Value* result = nullptr;
    for (const Terms::Term& term : of) {
      Value* value = builder_.CreateSExt(uniform(term.value), extension.getType());
      if (!term.isAdded)
        result = result == nullptr ? builder_.CreateNSWNeg(value) : builder_.CreateNSWSub(result, value);
      else
        result = result == nullptr ? value : builder_.CreateNSWAdd(result, value);
    }
    return result;
  };
  Value *shared = total(terms.shared), *own = total(terms.own);
  Value* both = builder_.CreateNSWAdd(own, shared);
  sums_[both] = {shared, own};
  return both;
}

/// Computes the address in two steps, uniform terms first; null if the index is not a sum.
Value* Widener::addressInTwoSteps(llvm::GetElementPtrInst& address) {
  if (address.getNumIndices() != 1 || !plan_.shapes.of(address.getPointerOperand()).isUniform() ||
      plan_.shapes.of(*address.idx_begin()).isUniform())
    return nullptr;
  const auto sum = sums_.find(uniform(*address.idx_begin()));
  if (sum == sums_.end()) return nullptr;
  llvm::Type* element = address.getSourceElementType();
  Value* base = builder_.CreateGEP(element, uniform(address.getPointerOperand()), sum->second.first);
  return builder_.CreateGEP(element, base, sum->second.second, address.getName());
}

/// Widens an affine 32-bit value. Unsigned values that wrap around between two lanes come from indices below zero (i -
/// 1 in lane 0), which only lanes from zero on use (LaneShapes). The first lane's value without the wrap is then
/// computed from the last lane's.
void Widener::widenAffineExtension(llvm::CastInst& extension) {
  const LaneShape from = plan_.shapes.of(extension.getOperand(0));
  const LaneShape shape = plan_.shapes.of(&extension);
  Value* first = uniform(extension.getOperand(0));
  if (llvm::isa<llvm::SExtInst>(extension))
    if (Value* sum = sumOfExtensions(extension)) return define(&extension, {shape, sum, {}});
  const std::int64_t span = from.stride() * static_cast<std::int64_t>(plan_.width - 1);
  const bool isToldByLast = plan_.shapes.isToldByLastLane(extension);
  if (span < 0 || !isToldByLast) {
    const bool isSigned = llvm::isa<llvm::SExtInst>(extension) || (extension.hasNonNeg() && !isToldByLast);
    Value* wide =
        isSigned ? builder_.CreateSExt(first, extension.getType()) : builder_.CreateZExt(first, extension.getType());
    return define(&extension, {shape, wide, {}});
  }
  Value* last = builder_.CreateAdd(first, llvm::ConstantInt::get(first->getType(), span));
  Value* wideLast = builder_.CreateZExt(last, extension.getType());
  define(&extension, {shape, builder_.CreateSub(wideLast, llvm::ConstantInt::get(extension.getType(), span)), {}});
}

void Widener::widenElementwise(Instruction& instruction) {
  const bool isPacked = plan_.packed.contains(&instruction);
  const auto types = widenedTypes(instruction.getType(), isPacked);
  llvm::SmallVector<llvm::SmallVector<Value*, 4>, 3> operands;
  for (Value* operand : instruction.operands())
    operands.push_back(widened(operand, isPacked));
  llvm::SmallVector<Value*, 4> parts;
  for (unsigned i = 0; i < types.size(); ++i) {
    Value* result = nullptr;
    if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
      result = binary->isIntDivRem() ? divide(*binary, operands[0][i], operands[1][i])
                                     : builder_.CreateBinOp(binary->getOpcode(), operands[0][i], operands[1][i]);
    } else if (auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&instruction)) {
      result = builder_.CreateUnOp(unary->getOpcode(), operands[0][i]);
    } else if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
      result = builder_.CreateCmp(compare->getPredicate(), operands[0][i], operands[1][i]);
    } else if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
      const auto opcode = cast->getOpcode();
      result = opcode == Instruction::FPToSI || opcode == Instruction::FPToUI
                   ? toInteger(operands[0][i], types[i], opcode == Instruction::FPToSI)
                   : builder_.CreateCast(opcode, operands[0][i], types[i]);
    } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
      result = builder_.CreateFreeze(operands[0][i]);
    } else {
      llvm::report_fatal_error("the vectoriser does not know " + llvm::Twine(instruction.getOpcodeName()));
    }
    if (auto* made = llvm::dyn_cast<Instruction>(result);
        made != nullptr && made->getOpcode() == instruction.getOpcode()) {
      made->copyIRFlags(&instruction);
      // Keeps the required accuracy of a division.
      made->setMetadata(llvm::LLVMContext::MD_fpmath, instruction.getMetadata(llvm::LLVMContext::MD_fpmath));
    }
    parts.push_back(result);
  }
  defineWidened(&instruction, parts);
}

/// Divides integers in floating point, since x86 and others have no vector division of integers. In double precision
/// the quotient of 32-bit integers is exact: it differs from the next integer by more than the rounding error.
Value* Widener::divide(llvm::BinaryOperator& division, Value* dividend, Value* divisor) {
  const unsigned bits = division.getType()->getScalarSizeInBits();
  const auto opcode = division.getOpcode();
  const auto* constant = llvm::dyn_cast<llvm::Constant>(divisor);
  const bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  if (constant != nullptr && constant->getSplatValue() != nullptr)
    return builder_.CreateBinOp(opcode, dividend, divisor);
  if (bits > 32) {
    // Inactive lanes may have a divisor that the kernel excludes, so they divide by 1.
    if (mask_ != nullptr)
      divisor = builder_.CreateSelect(mask_, divisor, llvm::ConstantInt::get(divisor->getType(), 1));
    return builder_.CreateBinOp(opcode, dividend, divisor);
  }
  llvm::Type* integer = dividend->getType();
  // Single precision represents 16-bit integers exactly and distinguishes their quotients.
  llvm::Type* real = wide(bits <= 16 ? builder_.getFloatTy() : builder_.getDoubleTy());
  llvm::Type* middle = wide(bits <= 16 ? builder_.getInt32Ty() : builder_.getInt64Ty());
  const auto toReal = [&](Value* value) {
    return isSigned ? builder_.CreateSIToFP(value, real) : builder_.CreateUIToFP(value, real);
  };
  // Signed quotients are computed with more bits: the lowest value divided by -1 wraps around instead of being poison.
  Value* quotient = builder_.CreateTrunc(
      builder_.CreateFPToSI(builder_.CreateFDiv(toReal(dividend), toReal(divisor)), middle), integer);
  if (opcode == Instruction::SDiv || opcode == Instruction::UDiv) return quotient;
  return builder_.CreateSub(dividend, builder_.CreateMul(quotient, divisor));
}

void Widener::widenAddress(llvm::GetElementPtrInst& address) {
  const LaneShape base = plan_.shapes.of(address.getPointerOperand());
  Value* pointer = base.isUniform() ? uniform(address.getPointerOperand()) : vector(address.getPointerOperand());
  llvm::SmallVector<Value*, 4> indices;
  for (Value* index : address.indices())
    indices.push_back(plan_.shapes.of(index).isUniform() ? uniform(index) : vector(index));
  defineParts(&address, {builder_.CreateGEP(address.getSourceElementType(), pointer, indices, address.getName())});
}

void Widener::widenSelect(llvm::SelectInst& select) {
  const bool isPacked = plan_.packed.contains(&select);
  const auto yes = widened(select.getTrueValue(), isPacked);
  const auto no = widened(select.getFalseValue(), isPacked);
  const bool isVector = select.getCondition()->getType()->isVectorTy();
  llvm::SmallVector<Value*, 4> conditions;
  if (plan_.shapes.of(select.getCondition()).isUniform() && !isVector) {
    conditions.push_back(uniform(select.getCondition()));
  } else if (isPacked && !isVector) {
    const unsigned elements = scalarsOf(select.getType()).size();
    conditions.push_back(repeatLanes(vector(select.getCondition()), elements, elements));
  } else {
    conditions = widened(select.getCondition(), isPacked);
  }
  llvm::SmallVector<Value*, 4> parts;
  for (unsigned i = 0; i < yes.size(); ++i) {
    Value* result = builder_.CreateSelect(conditions.size() == 1 ? conditions[0] : conditions[i], yes[i], no[i]);
    if (auto* made = llvm::dyn_cast<llvm::SelectInst>(result); made != nullptr && llvm::isa<llvm::FPMathOperator>(made))
      made->copyFastMathFlags(&select);
    parts.push_back(result);
  }
  defineWidened(&select, parts);
}

void Widener::widenBitCast(llvm::CastInst& cast) {
  Value* operand = cast.getOperand(0);
  const bool fromVector = operand->getType()->isVectorTy(), toVector = cast.getType()->isVectorTy();
  // A bit cast in memory order does not move bits.
  if (toVector && plan_.packed.contains(&cast))
    return definePacked(
        &cast, builder_.CreateBitCast(fromVector ? packed(operand) : vector(operand), packedType(cast.getType())));
  if (!toVector && fromVector && lanesOf(operand).packed != nullptr)
    return defineParts(&cast, {builder_.CreateBitCast(packed(operand), wide(cast.getType()))});
  defineParts(&cast, regroup(vectors(operand), scalarsOf(cast.getType())));
}

/// Extracts one chunk of each lane: chunk `number` of `count`, with `elements` elements. Works by halving: each vector
/// is made from at most two others by one instruction.
Value* Widener::chunkOfLanes(Value* packed, unsigned number, unsigned count, unsigned elements) {
  auto* type = llvm::cast<llvm::FixedVectorType>(packed->getType());
  llvm::Type* to = packedType(llvm::FixedVectorType::get(type->getElementType(), elements));
  if (const unsigned bits = elements * type->getScalarSizeInBits(); bits <= 64) {
    packed = builder_.CreateBitCast(packed, llvm::FixedVectorType::get(builder_.getIntNTy(bits), count * plan_.width));
    elements = 1;
  }
  for (; count > 1; count /= 2, number /= 2) {
    llvm::SmallVector<int, 64> from;
    for (unsigned i = number % 2; i < count * plan_.width; i += 2)
      for (unsigned j = 0; j < elements; ++j)
        from.push_back(static_cast<int>(i * elements + j));
    packed = builder_.CreateShuffleVector(packed, from);
  }
  return builder_.CreateBitCast(packed, to);
}

/// Widens a shuffle whose elements come from the same lane.
void Widener::widenPackedShuffle(llvm::ShuffleVectorInst& shuffle) {
  const unsigned to = shuffle.getShuffleMask().size();
  if (Value* scalar = splattedScalar(shuffle)) return definePacked(&shuffle, repeatLanes(vector(scalar), to, to));
  const auto from = llvm::cast<llvm::FixedVectorType>(shuffle.getOperand(0)->getType())->getNumElements();
  int begin = 0;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(shuffle.getOperand(0));
      load != nullptr && laneAddresses_.contains(load))
    return definePacked(&shuffle, chunkOfVectors(*load, static_cast<unsigned>(shuffle.getMaskValue(0)) / to));
  const bool isOfFirst =
      llvm::all_of(shuffle.getShuffleMask(), [&](int index) { return index < static_cast<int>(from); });
  if (isOfFirst && from > to && llvm::isPowerOf2_32(from) && llvm::isPowerOf2_32(to) &&
      shuffle.isExtractSubvectorMask(begin) && begin % to == 0)
    return definePacked(&shuffle, chunkOfLanes(packed(shuffle.getOperand(0)), begin / to, from / to, to));
  llvm::SmallVector<int, 64> indices;
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    for (const int index : shuffle.getShuffleMask()) {
      const unsigned of = index < static_cast<int>(from) ? index : index - from;
      const unsigned vector = index < static_cast<int>(from) ? 0 : from * plan_.width;
      indices.push_back(index < 0 ? index : static_cast<int>(vector + lane * from + of));
    }
  definePacked(&shuffle,
               builder_.CreateShuffleVector(packed(shuffle.getOperand(0)), packed(shuffle.getOperand(1)), indices));
}

/// Converts scalars to other types with the same bits: different sizes are joined or split, the lowest bits first.
llvm::SmallVector<Value*, 4> Widener::regroup(llvm::ArrayRef<Value*> from, llvm::ArrayRef<llvm::Type*> to) {
  llvm::SmallVector<Value*, 4> parts;
  if (from.size() == to.size()) {
    for (unsigned i = 0; i < to.size(); ++i)
      parts.push_back(builder_.CreateBitCast(from[i], wide(to[i])));
    return parts;
  }
  const unsigned fromBits = from.front()->getType()->getScalarSizeInBits();
  const unsigned toBits = to.front()->getPrimitiveSizeInBits();
  llvm::Type* fromInteger = wide(builder_.getIntNTy(fromBits));
  llvm::Type* toInteger = wide(builder_.getIntNTy(toBits));
  if (fromBits > toBits) {
    for (unsigned i = 0; i < to.size(); ++i) {
      Value* whole = builder_.CreateBitCast(from[i * toBits / fromBits], fromInteger);
      Value* low = builder_.CreateLShr(whole, llvm::ConstantInt::get(fromInteger, i * toBits % fromBits));
      parts.push_back(builder_.CreateBitCast(builder_.CreateTrunc(low, toInteger), wide(to[i])));
    }
    return parts;
  }
  const unsigned each = toBits / fromBits;
  for (unsigned i = 0; i < to.size(); ++i) {
    Value* whole = llvm::Constant::getNullValue(toInteger);
    for (unsigned j = 0; j < each; ++j) {
      // Poison in one scalar must not spread to those joined with it.
      Value* scalar = builder_.CreateFreeze(from[i * each + j]);
      Value* low = builder_.CreateZExt(builder_.CreateBitCast(scalar, fromInteger), toInteger);
      whole = builder_.CreateOr(whole, builder_.CreateShl(low, llvm::ConstantInt::get(toInteger, j * fromBits)));
    }
    parts.push_back(builder_.CreateBitCast(whole, wide(to[i])));
  }
  return parts;
}

void Widener::widenVariableElement(Instruction& instruction) {
  const bool extracts = llvm::isa<llvm::ExtractElementInst>(instruction);
  Value* at = instruction.getOperand(extracts ? 1 : 2);
  auto elements = vectors(instruction.getOperand(0));
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(at)) {
    // An index beyond the vector gives poison.
    const std::uint64_t index = std::min<std::uint64_t>(constant->getZExtValue(), elements.size() - 1);
    if (extracts) return defineParts(&instruction, {elements[index]});
    elements[index] = vector(instruction.getOperand(1));
    return defineParts(&instruction, elements);
  }
  const bool shared = plan_.shapes.of(at).isUniform();
  Value* index = shared ? uniform(at) : vector(at);
  const auto isAt = [&](unsigned i) {
    return builder_.CreateICmpEQ(index, llvm::ConstantInt::get(index->getType(), i));
  };
  if (extracts) {
    Value* result = elements.front();
    for (unsigned i = 1; i < elements.size(); ++i)
      result = builder_.CreateSelect(isAt(i), elements[i], result);
    return defineParts(&instruction, {result});
  }
  Value* inserted = vector(instruction.getOperand(1));
  for (unsigned i = 0; i < elements.size(); ++i)
    elements[i] = builder_.CreateSelect(isAt(i), inserted, elements[i]);
  defineParts(&instruction, elements);
}

void Widener::widenAggregate(Instruction& instruction) {
  if (plan_.packed.contains(&instruction)) return widenPackedShuffle(llvm::cast<llvm::ShuffleVectorInst>(instruction));
  auto parts = vectors(instruction.getOperand(0));
  if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    parts.append(vectors(shuffle->getOperand(1)));
    llvm::SmallVector<Value*, 4> chosen;
    for (const int index : shuffle->getShuffleMask())
      chosen.push_back(index < 0 ? llvm::PoisonValue::get(parts.front()->getType()) : parts[index]);
    return defineParts(&instruction, chosen);
  }
  if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    const unsigned first = firstScalar(extract->getAggregateOperand()->getType(), extract->getIndices());
    return defineParts(&instruction, llvm::ArrayRef(parts).slice(first, scalarsOf(extract->getType()).size()));
  }
  auto& insert = llvm::cast<llvm::InsertValueInst>(instruction);
  const unsigned first = firstScalar(insert.getType(), insert.getIndices());
  llvm::copy(vectors(insert.getInsertedValueOperand()), parts.begin() + first);
  defineParts(&instruction, parts);
}

} // namespace clotho::compiler
