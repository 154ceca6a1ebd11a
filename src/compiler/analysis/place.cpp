// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/place.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/index_bounds.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Makes a place of what an address is computed from.
class Sum {
 public:
  /// `largestMemory`: null, or where it is noted up to which size of memory indices are in bounds.
  Sum(const llvm::DataLayout& layout, std::uint64_t* largestMemory) : layout_(layout), largestMemory_(largestMemory) {}

  /// Adds a multiple of an index, which is a sum if nothing on the way wraps around before it is extended.
  void addIndex(const Value* value, std::int64_t scale, Extension extension, unsigned depth = 0);

  void addBytes(std::int64_t bytes, std::int64_t times = 1) {
    place.offset = wrappingSum(place.offset, wrappingProduct(bytes, times));
  }

  Place place;

 private:
  void addTerm(const Value* value, Extension extension, std::int64_t scale) {
    std::int64_t& term = place.terms[{value, extension}];
    term = wrappingSum(term, scale);
  }
  bool addInBounds(const llvm::CastInst& extension, std::int64_t scale);

  static constexpr unsigned kDepthLimit = 8;

  const llvm::DataLayout& layout_;
  std::uint64_t* const largestMemory_;
};

/// Takes nothing but small constants off an index whose value is far from where it wraps around, so that no two that
/// have the rest in common can be on different sides.
bool Sum::addInBounds(const llvm::CastInst& extension, std::int64_t scale) {
  if (largestMemory_ == nullptr) return false;
  const auto largest = largestMemoryWithoutWrap(extension, layout_);
  if (!largest) return false;
  *largestMemory_ = std::min(*largestMemory_, *largest);
  const Value* value = extension.getOperand(0);
  for (unsigned count = 0; count < kMostIndexTerms; ++count) {
    using namespace llvm::PatternMatch;
    const llvm::APInt* term = nullptr;
    Value* rest = nullptr;
    const bool isSum = match(value, m_AddLike(m_Value(rest), m_APInt(term)));
    if ((!isSum && !match(value, m_Sub(m_Value(rest), m_APInt(term)))) || term->abs().ugt(kGreatestIndexTerm)) break;
    addBytes(isSum ? term->getSExtValue() : -term->getSExtValue(), scale);
    value = rest;
  }
  const bool isSigned = llvm::isa<llvm::SExtInst>(extension);
  addTerm(value, isSigned ? Extension::SignedInBounds : Extension::UnsignedInBounds, scale);
  return true;
}

void Sum::addIndex(const Value* value, std::int64_t scale, Extension extension, unsigned depth) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
      constant != nullptr && constant->getBitWidth() <= 64) {
    const bool isSigned = extension != Extension::Unsigned;
    addBytes(isSigned ? constant->getSExtValue() : static_cast<std::int64_t>(constant->getZExtValue()), scale);
    return;
  }
  const auto* operation = llvm::dyn_cast<llvm::Operator>(value);
  const auto follow = [&](unsigned operand, std::int64_t factor) {
    addIndex(operation->getOperand(operand), wrappingProduct(scale, factor), extension, depth + 1);
  };
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
      cast != nullptr && extension == Extension::None && addInBounds(*cast, scale))
    return;
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
      addBytes(-1, scale);
      return follow(0, -1);
    case Instruction::SExt:
      if (extension == Extension::Unsigned) break;
      return addIndex(operation->getOperand(0), scale, Extension::Signed, depth + 1);
    case Instruction::ZExt:
      if (extension == Extension::Signed) break;
      return addIndex(operation->getOperand(0), scale, Extension::Unsigned, depth + 1);
    default: break;
    }
  }
  addTerm(value, extension, scale);
}

Place sumOf(const Value* pointer, const llvm::DataLayout& layout, std::uint64_t* largestMemory) {
  Sum sum(layout, largestMemory);
  Place& place = sum.place;
  while (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::APInt constant(64, 0);
    llvm::SmallMapVector<Value*, llvm::APInt, 4> variable;
    if (address->getType()->isVectorTy() || !address->collectOffset(layout, 64, variable, constant)) break;
    sum.addBytes(constant.getSExtValue());
    for (const auto& [index, scale] : variable)
      // Indices of fewer bits are extended as signed numbers.
      sum.addIndex(index, scale.getSExtValue(),
                   index->getType()->getIntegerBitWidth() < 64 ? Extension::Signed : Extension::None);
    pointer = address->getPointerOperand();
  }
  place.base = pointer;
  std::erase_if(place.terms, [](const auto& term) { return term.second == 0; });
  return place;
}

} // namespace

Place placeOf(const Value* pointer, const llvm::DataLayout& layout) { return sumOf(pointer, layout, nullptr); }

PlaceOfAccess placeOfAccess(const Value* pointer, const llvm::DataLayout& layout) {
  PlaceOfAccess result;
  result.exact = placeOf(pointer, layout);
  result.inBounds = sumOf(pointer, layout, &result.largestMemory);
  return result;
}

std::optional<Distance> PlaceOfAccess::distanceTo(const PlaceOfAccess& other) const {
  if (exact.isBeside(other.exact)) return Distance{wrappingDifference(other.exact.offset, exact.offset)};
  if (!inBounds.isBeside(other.inBounds)) return std::nullopt;
  return Distance{wrappingDifference(other.inBounds.offset, inBounds.offset),
                  std::min(largestMemory, other.largestMemory)};
}

std::optional<std::int64_t> bytesBetween(const Value* from, const Value* to, const llvm::DataLayout& layout) {
  const Place one = placeOf(from, layout), other = placeOf(to, layout);
  if (!one.isBeside(other)) return std::nullopt;
  return wrappingDifference(other.offset, one.offset);
}

} // namespace clotho::compiler
