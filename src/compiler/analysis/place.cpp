// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/place.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Adds a multiple of an index, which is a sum if nothing on the way wraps around before it is extended.
void addIndex(const Value* value, std::int64_t scale, Extension extension, Place& place, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 8;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
      constant != nullptr && constant->getBitWidth() <= 64) {
    const bool isSigned = extension != Extension::Unsigned;
    place.offset += scale * (isSigned ? constant->getSExtValue() : static_cast<std::int64_t>(constant->getZExtValue()));
    return;
  }
  const auto* operation = llvm::dyn_cast<llvm::Operator>(value);
  const auto follow = [&](unsigned operand, std::int64_t factor) {
    addIndex(operation->getOperand(operand), scale * factor, extension, place, depth + 1);
  };
  if (operation != nullptr && depth < kDepthLimit) {
    bool isSum = extension == Extension::None;
    if (const auto* sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(operation))
      isSum |= extension == Extension::Signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap();
    const auto* factor =
        operation->getNumOperands() > 1 ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1)) : nullptr;
    switch (operation->getOpcode()) {
    case Instruction::Or: isSum = llvm::cast<llvm::PossiblyDisjointInst>(operation)->isDisjoint(); [[fallthrough]];
    case Instruction::Add:
      if (!isSum) break;
      follow(0, 1);
      return follow(1, 1);
    case Instruction::Sub:
      if (!isSum) break;
      follow(0, 1);
      return follow(1, -1);
    case Instruction::Mul:
      if (!isSum || factor == nullptr || !factor->getValue().isSignedIntN(24)) break;
      if (extension == Extension::Unsigned && factor->isNegative()) break; // large
      return follow(0, factor->getSExtValue());
    case Instruction::Shl:
      if (!isSum || factor == nullptr || factor->getValue().uge(24)) break;
      return follow(0, std::int64_t(1) << factor->getZExtValue());
    case Instruction::Xor:
      // The complement of x is -1 - x, also when both are extended as signed numbers.
      if (extension == Extension::Unsigned || factor == nullptr || !factor->isMinusOne()) break;
      place.offset -= scale;
      return follow(0, -1);
    case Instruction::SExt:
      if (extension == Extension::Unsigned) break;
      return addIndex(operation->getOperand(0), scale, Extension::Signed, place, depth + 1);
    case Instruction::ZExt:
      if (extension == Extension::Signed) break;
      return addIndex(operation->getOperand(0), scale, Extension::Unsigned, place, depth + 1);
    default: break;
    }
  }
  place.terms[{value, extension}] += scale;
}

} // namespace

Place placeOf(const Value* pointer, const llvm::DataLayout& layout) {
  Place place;
  while (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::APInt constant(64, 0);
    llvm::SmallMapVector<Value*, llvm::APInt, 4> variable;
    if (address->getType()->isVectorTy() || !address->collectOffset(layout, 64, variable, constant)) break;
    place.offset += constant.getSExtValue();
    for (const auto& [index, scale] : variable)
      // Indices of fewer bits are extended as signed numbers.
      addIndex(index, scale.getSExtValue(),
               index->getType()->getIntegerBitWidth() < 64 ? Extension::Signed : Extension::None, place);
    pointer = address->getPointerOperand();
  }
  place.base = pointer;
  std::erase_if(place.terms, [](const auto& term) { return term.second == 0; });
  return place;
}

std::optional<std::int64_t> bytesBetween(const Value* from, const Value* to, const llvm::DataLayout& layout) {
  const Place one = placeOf(from, layout), other = placeOf(to, layout);
  if (!one.isBeside(other)) return std::nullopt;
  return other.offset - one.offset;
}

} // namespace clotho::compiler
