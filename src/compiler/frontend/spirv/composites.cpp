// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors, arrays and structs as values (SPIR-V specification, section 3.42.12).
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

constexpr std::uint32_t kNoComponent = 0xffffffff;

/// The part of a value at literal indices; the last index may select a vector element.
Value* extract(Reader& reader, Value* from, Words indices) {
  for (const std::uint32_t index : indices) {
    llvm::Type* type = from->getType();
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      if (index >= vector->getNumElements()) return reader.fail("an index is behind a vector's end"), from;
      from = reader.builder.CreateExtractElement(from, std::uint64_t{index});
    } else if (type->isAggregateType() && llvm::ExtractValueInst::getIndexedType(type, index) != nullptr) {
      from = reader.builder.CreateExtractValue(from, index);
    } else {
      return reader.fail("an index into what has no such part"), from;
    }
  }
  return from;
}

Value* insert(Reader& reader, Value* part, Value* into, Words indices) {
  if (indices.empty()) return part;
  const std::uint32_t index = indices[0];
  Value* old = extract(reader, into, indices.take_front(1));
  if (reader.failed()) return into;
  Value* changed = insert(reader, part, old, indices.drop_front());
  if (reader.failed()) return into;
  if (changed->getType() != old->getType()) return reader.fail("a part of another type than it replaces"), into;
  if (into->getType()->isVectorTy()) return reader.builder.CreateInsertElement(into, changed, std::uint64_t{index});
  return reader.builder.CreateInsertValue(into, changed, index);
}

/// Builds a vector from scalars and shorter vectors.
void constructVector(Reader& reader, const Instruction& instruction, llvm::FixedVectorType* type) {
  Value* made = llvm::PoisonValue::get(type);
  std::uint64_t at = 0;
  const auto append = [&](Value* element) {
    if (at >= type->getNumElements() || element->getType() != type->getElementType())
      return reader.fail("a vector is made of other parts than its type has");
    made = reader.builder.CreateInsertElement(made, element, at++);
  };
  for (const Id id : instruction.operands) {
    Value* part = reader.value(id);
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(part->getType());
    for (std::uint64_t i = 0; vector != nullptr && i < vector->getNumElements() && !reader.failed(); ++i)
      append(reader.builder.CreateExtractElement(part, i));
    if (vector == nullptr && !reader.failed()) append(part);
    if (reader.failed()) return;
  }
  if (at != type->getNumElements()) return reader.fail("a vector is made of other parts than its type has");
  reader.define(instruction, made);
}

void construct(Reader& reader, const Instruction& instruction) {
  llvm::Type* type = reader.llvmType(instruction.type);
  if (reader.isLargeType(instruction.type) && !reader.failed()) return reader.constructLarge(instruction);
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return constructVector(reader, instruction, vector);
  Value* made = llvm::PoisonValue::get(type);
  const std::uint64_t parts = type->isStructTy()  ? type->getStructNumElements()
                              : type->isArrayTy() ? type->getArrayNumElements()
                                                  : 0;
  if (!type->isAggregateType() || instruction.operands.size() != parts)
    return reader.fail("a composite is made of other parts than its type has");
  for (unsigned i = 0; i < parts; ++i) {
    Value* part = reader.value(instruction.operands[i]);
    if (reader.failed()) return;
    if (part->getType() != llvm::ExtractValueInst::getIndexedType(type, i))
      return reader.fail("a composite is made of other parts than its type has");
    made = reader.builder.CreateInsertValue(made, part, i);
  }
  reader.define(instruction, made);
}

/// Pads a vector: LLVM shuffles only vectors of one length.
Value* lengthen(llvm::IRBuilder<>& builder, Value* vector, unsigned elements) {
  const unsigned own = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (own == elements) return vector;
  llvm::SmallVector<int, 16> mask(elements, llvm::PoisonMaskElem);
  for (unsigned i = 0; i < own; ++i)
    mask[i] = static_cast<int>(i);
  return builder.CreateShuffleVector(vector, mask);
}

void shuffle(Reader& reader, const Instruction& instruction) {
  if (instruction.operands.size() < 3) return reader.fail("a shuffle of nothing");
  Value *a = reader.value(instruction.operands[0]), *b = reader.value(instruction.operands[1]);
  if (reader.failed()) return;
  const auto *typeA = llvm::dyn_cast<llvm::FixedVectorType>(a->getType()),
             *typeB = llvm::dyn_cast<llvm::FixedVectorType>(b->getType());
  if (typeA == nullptr || typeB == nullptr || typeA->getElementType() != typeB->getElementType())
    return reader.fail("a shuffle of what are no vectors of one kind");
  const unsigned ofA = typeA->getNumElements(), ofB = typeB->getNumElements(), longest = std::max(ofA, ofB);
  llvm::SmallVector<int, 16> mask;
  for (const std::uint32_t component : instruction.operands.drop_front(2)) {
    if (component == kNoComponent) {
      mask.push_back(llvm::PoisonMaskElem);
    } else if (component >= ofA + ofB) {
      return reader.fail("a shuffle takes an element that there is not");
    } else {
      mask.push_back(static_cast<int>(component < ofA ? component : component - ofA + longest));
    }
  }
  llvm::IRBuilder<>& builder = reader.builder;
  reader.define(instruction,
                builder.CreateShuffleVector(lengthen(builder, a, longest), lengthen(builder, b, longest), mask));
}

/// Checks the operands of an instruction with a variable vector index; null after a failure.
llvm::FixedVectorType* indexedVector(Reader& reader, Value* vector, Value* index) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
  if (type == nullptr || !index->getType()->isIntegerTy()) reader.fail("an element of what is no vector");
  return reader.failed() ? nullptr : type;
}

} // namespace

bool readComposite(Reader& reader, const Instruction& instruction) {
  llvm::IRBuilder<>& builder = reader.builder;
  const Words operands = instruction.operands;
  switch (instruction.op) {
  case spv::OpVectorExtractDynamic: {
    Value *vector = reader.value(instruction.operand(0)), *index = reader.value(instruction.operand(1));
    if (indexedVector(reader, vector, index) == nullptr) return true;
    reader.define(instruction, builder.CreateExtractElement(vector, index));
    return true;
  }
  case spv::OpVectorInsertDynamic: {
    Value *vector = reader.value(instruction.operand(0)), *element = reader.value(instruction.operand(1));
    Value* index = reader.value(instruction.operand(2));
    const auto* type = indexedVector(reader, vector, index);
    if (type == nullptr) return true;
    if (type->getElementType() != element->getType())
      reader.fail("an element of another type than its vector's");
    else
      reader.define(instruction, builder.CreateInsertElement(vector, element, index));
    return true;
  }
  case spv::OpVectorShuffle: shuffle(reader, instruction); return true;
  case spv::OpCompositeConstruct: construct(reader, instruction); return true;
  case spv::OpCompositeExtract: {
    if (operands.empty()) return reader.fail("an extraction from nothing"), true;
    // Parts of constants are constants.
    if (reader.isLarge(operands[0]) && !reader.isKnownValue(operands[0]))
      return reader.extractLarge(instruction, operands[0], operands.drop_front()), true;
    Value* from = reader.value(operands[0]);
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(from->getType());
    const bool isBeyond = vector != nullptr && operands.size() == 2 && operands[1] >= vector->getNumElements();
    Value* part = isBeyond ? reader.builtinBeyond(operands[0], operands[1]) : nullptr;
    if (part == nullptr) part = extract(reader, from, operands.drop_front());
    if (!reader.failed()) reader.define(instruction, part);
    return true;
  }
  case spv::OpCompositeInsert: {
    if (operands.size() < 2) return reader.fail("an insertion of nothing"), true;
    if (reader.isLarge(operands[1]))
      return reader.insertLarge(instruction, operands[0], operands[1], operands.drop_front(2)), true;
    Value *part = reader.value(operands[0]), *into = reader.value(operands[1]);
    if (reader.failed()) return true;
    Value* changed = insert(reader, part, into, operands.drop_front(2));
    if (!reader.failed()) reader.define(instruction, changed);
    return true;
  }
  case spv::OpCopyObject: {
    if (reader.isLarge(instruction.operand(0)) && !reader.isKnownValue(instruction.operand(0)))
      return reader.copyLarge(instruction, instruction.operand(0)), true;
    Value* same = reader.value(instruction.operand(0));
    if (!reader.failed()) reader.define(instruction, same);
    return true;
  }
  case spv::OpCopyLogical: {
    // Both types have the same structure but different names or decorations.
    llvm::Type* to = reader.llvmType(instruction.type);
    if (reader.isLargeType(instruction.type)) reader.fail("a logical copy of a value of too many parts");
    Value* from = reader.value(instruction.operand(0));
    if (reader.failed()) return true;
    if (llvm::Value* copy = reader.copyLogically(from, to)) reader.define(instruction, copy);
    return true;
  }
  default: return false;
  }
}

Value* Reader::copyLogically(Value* from, llvm::Type* to) {
  llvm::Type* type = from->getType();
  if (type == to) return from;
  const bool areStructs =
      type->isStructTy() && to->isStructTy() && type->getStructNumElements() == to->getStructNumElements();
  const bool areArrays =
      type->isArrayTy() && to->isArrayTy() && type->getArrayNumElements() == to->getArrayNumElements();
  if (!areStructs && !areArrays) return fail("a logical copy between types that do not match"), nullptr;
  const std::uint64_t parts = areStructs ? to->getStructNumElements() : to->getArrayNumElements();
  Value* made = llvm::PoisonValue::get(to);
  for (unsigned i = 0; i < parts; ++i) {
    Value* part = copyLogically(builder.CreateExtractValue(from, i), llvm::ExtractValueInst::getIndexedType(to, i));
    if (part == nullptr) return nullptr;
    made = builder.CreateInsertValue(made, part, i);
  }
  return made;
}

} // namespace clotho::compiler::spirv
