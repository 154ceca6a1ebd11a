// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of many parts, such as arrays of millions of elements. LLVM splits a value into its scalars, each an operand
// of every use, so a large value is a copy in memory here. That suffices for what compilers do with them: load, store
// and initialise.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {

using llvm::Value;

namespace {

/// Converts literal indices to those of a GEP, up to a vector in which the last index may select an element. Returns
/// the type there; null after a failure.
llvm::Type* indicesInto(Reader& reader, llvm::Type* type, Words& indices, llvm::SmallVectorImpl<Value*>& steps) {
  steps.push_back(reader.builder.getInt64(0));
  while (!indices.empty() && type->isAggregateType()) {
    llvm::Type* part = llvm::ExtractValueInst::getIndexedType(type, indices[0]);
    if (part == nullptr) return reader.fail("an index into what has no such part"), nullptr;
    steps.push_back(reader.builder.getInt32(indices[0]));
    indices = indices.drop_front();
    type = part;
  }
  return type;
}

} // namespace

bool Reader::isLarge(Id value) {
  if (largeValues_.contains(value)) return true;
  const auto found = values_.find(value);
  return found != values_.end() && isLargeType(typeIdOf(value)) && found->second->getType()->isAggregateType();
}

llvm::AllocaInst* Reader::makeLarge(const Instruction& instruction) {
  llvm::Type* type = llvmType(instruction.type);
  if (function_ == nullptr || instruction.result == 0) fail("an operation on a constant of too many parts");
  if (failed()) return nullptr;
  llvm::AllocaInst* copy = temporary(type);
  largeValues_[instruction.result] = copy;
  valueTypes_[instruction.result] = instruction.type;
  return copy;
}

void Reader::storeLarge(Id from, Value* to, llvm::Align aligned, bool isVolatile) {
  llvm::Type* type = llvmType(typeIdOf(from));
  if (failed()) return;
  const std::uint64_t bytes = module_->getDataLayout().getTypeStoreSize(type);
  if (const auto* copy = largeValues_.lookup(from)) {
    builder.CreateMemCpy(to, aligned, const_cast<llvm::AllocaInst*>(copy), copy->getAlign(), bytes, isVolatile);
    return;
  }
  auto* constant = llvm::dyn_cast<llvm::Constant>(value(from));
  if (constant == nullptr) return fail("a value of too many parts is not where it can be stored from");
  if (llvm::isa<llvm::UndefValue>(constant)) return;
  if (constant->isNullValue()) {
    builder.CreateMemSet(to, builder.getInt8(0), bytes, aligned, isVolatile);
    return;
  }
  llvm::GlobalVariable*& made = largeConstants_[from];
  if (made == nullptr)
    made = new llvm::GlobalVariable(*module_, type, /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, constant,
                                    "spirv.value", nullptr, llvm::GlobalValue::NotThreadLocal, kConstantSpace);
  made->setAlignment(module_->getDataLayout().getABITypeAlign(type));
  builder.CreateMemCpy(to, aligned, made, made->getAlign(), bytes, isVolatile);
}

void Reader::copyLarge(const Instruction& instruction, Id from) {
  if (typeIdOf(from) != instruction.type) return fail("a copy of another type than its value");
  if (llvm::AllocaInst* copy = makeLarge(instruction)) storeLarge(from, copy, copy->getAlign(), false);
}

void Reader::extractLarge(const Instruction& instruction, Id from, Words indices) {
  llvm::SmallVector<Value*, 6> steps;
  llvm::Type* whole = llvmType(typeIdOf(from));
  llvm::Type* part = indicesInto(*this, whole, indices, steps);
  llvm::AllocaInst* copy = largeValues_.lookup(from);
  if (failed()) return;
  if (copy == nullptr || indices.size() > 1) return fail("an index into what has no such part");
  Value* at = builder.CreateInBoundsGEP(whole, copy, steps);
  const llvm::DataLayout& layout = module_->getDataLayout();
  if (isLargeType(instruction.type)) {
    if (part != llvmType(instruction.type)) return fail("an instruction's operands are not of its type");
    if (llvm::AllocaInst* made = makeLarge(instruction))
      builder.CreateMemCpy(made, made->getAlign(), at, llvm::Align(1), layout.getTypeStoreSize(part));
    return;
  }
  Value* value = builder.CreateAlignedLoad(part, at, llvm::Align(1));
  if (!indices.empty()) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(part);
    if (vector == nullptr || indices[0] >= vector->getNumElements()) return fail("an index is behind a vector's end");
    value = builder.CreateExtractElement(value, std::uint64_t{indices[0]});
  }
  define(instruction, value);
}

/// Stores a part of a large value that is being constructed.
void Reader::storePart(Id part, llvm::Type* wanted, Value* at) {
  if (llvmType(typeIdOf(part)) != wanted) fail("a composite is made of other parts than its type has");
  if (failed()) return;
  if (isLarge(part)) return storeLarge(part, at, llvm::Align(1), false);
  Value* small = value(part);
  if (!failed()) builder.CreateAlignedStore(small, at, llvm::Align(1));
}

void Reader::insertLarge(const Instruction& instruction, Id part, Id into, Words indices) {
  copyLarge(instruction, into);
  if (failed()) return;
  llvm::SmallVector<Value*, 6> steps;
  llvm::Type* whole = llvmType(instruction.type);
  llvm::Type* replaced = indicesInto(*this, whole, indices, steps);
  if (failed()) return;
  Value* at = builder.CreateInBoundsGEP(whole, largeValues_.lookup(instruction.result), steps);
  if (indices.empty()) return storePart(part, replaced, at);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(replaced);
  Value* element = value(part);
  if (failed()) return;
  if (vector == nullptr || indices.size() > 1 || indices[0] >= vector->getNumElements() ||
      vector->getElementType() != element->getType())
    return fail("an index into what has no such part");
  Value* old = builder.CreateAlignedLoad(vector, at, llvm::Align(1));
  builder.CreateAlignedStore(builder.CreateInsertElement(old, element, std::uint64_t{indices[0]}), at, llvm::Align(1));
}

void Reader::constructLarge(const Instruction& instruction) {
  llvm::AllocaInst* made = makeLarge(instruction);
  if (made == nullptr) return;
  llvm::Type* type = made->getAllocatedType();
  const std::uint64_t parts = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  if (instruction.operands.size() != parts) return fail("a composite is made of other parts than its type has");
  for (unsigned i = 0; i < parts && !failed(); ++i)
    storePart(instruction.operands[i], llvm::ExtractValueInst::getIndexedType(type, i),
              builder.CreateConstInBoundsGEP2_32(type, made, 0, i));
}

} // namespace clotho::compiler::spirv
