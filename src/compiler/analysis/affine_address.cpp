// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/affine_address.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/index_bounds.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;
using Wrapping = AffineOptions::Wrapping;

constexpr unsigned kDepthLimit = 8;
constexpr std::uint64_t kGreatestSmall = 1 << 24; ///< a constant below this: sums of few such do not wrap around

/// Scale of a value in the sum, and its extension before it is multiplied.
struct Multiple {
  std::int64_t scale = 1;
  Extension extension = Extension::None;
  const Value* factor = nullptr;

  Multiple times(std::int64_t by) const { return {wrappingProduct(scale, by), extension, factor}; }
};

/// Decomposes an index into a sum of terms.
class Sum {
 public:
  explicit Sum(const AffineOptions& options) : options_(options) {}

  /// Adds `by` times a value. The value is decomposed further as long as no partial sum wraps around before it is
  /// extended.
  void add(Value* value, const Multiple& by, unsigned depth = 0);
  /// Adds an index of a GEP. A GEP sign-extends indices narrower than 64 bits.
  void addIndex(Value* index, std::int64_t scale) {
    const bool isExtended = index->getType()->getIntegerBitWidth() < 64 && options_.wrapping != Wrapping::None;
    add(index, {scale, isExtended ? Extension::Signed : Extension::None});
  }

  AffineForm form;
  std::uint64_t largestMemory = kAnyMemory;

 private:
  void addConstant(std::int64_t constant, const Multiple& by) {
    const std::int64_t product = wrappingProduct(constant, by.scale);
    if (by.factor != nullptr)
      form.add({const_cast<Value*>(by.factor), product});
    else
      form.constant = wrappingSum(form.constant, product);
  }
  bool addInBounds(const llvm::CastInst& extension, std::int64_t scale);
  /// Adds one operand of the decomposed operation. Always returns true.
  bool addOperand(const llvm::Operator& operation, unsigned operand, const Multiple& by, unsigned depth) {
    add(operation.getOperand(operand), by, depth + 1);
    return true;
  }
  bool addParts(const llvm::Operator& operation, const Multiple& by, unsigned depth);
  bool addProduct(const llvm::Operator& product, const Multiple& by, unsigned depth);
  bool mayTakeApart(const llvm::Operator& operation, Extension extension) const;

  const AffineOptions& options_;
};

/// Splits small constants off an index whose value is far from where it wraps around. Two indices that differ only in
/// such constants are then on the same side of the wrap.
bool Sum::addInBounds(const llvm::CastInst& extension, std::int64_t scale) {
  const auto largest = largestMemoryWithoutWrap(extension, extension.getDataLayout());
  if (!largest) return false;
  largestMemory = std::min(largestMemory, *largest);
  Value* value = extension.getOperand(0);
  for (unsigned count = 0; count < kMostIndexTerms; ++count) {
    using namespace llvm::PatternMatch;
    const llvm::APInt* term = nullptr;
    Value* rest = nullptr;
    const bool isSum = match(value, m_AddLike(m_Value(rest), m_APInt(term)));
    if ((!isSum && !match(value, m_Sub(m_Value(rest), m_APInt(term)))) || term->abs().ugt(kGreatestIndexTerm)) break;
    addConstant(isSum ? term->getSExtValue() : -term->getSExtValue(), {scale});
    value = rest;
  }
  const bool isSigned = llvm::isa<llvm::SExtInst>(extension);
  form.add({value, scale, isSigned ? Extension::SignedInBounds : Extension::UnsignedInBounds});
  return true;
}

/// Whether extending the result equals applying the operation to the extended operands. Small numbers are not negative,
/// but their difference may be.
bool Sum::mayTakeApart(const llvm::Operator& operation, Extension extension) const {
  const unsigned opcode = operation.getOpcode();
  const bool isProduct = opcode == Instruction::Mul || opcode == Instruction::Shl;
  if (!isProduct && !options_.takesSums) return false;
  if (const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&operation)) return either->isDisjoint();
  const auto* exact = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&operation);
  if (exact == nullptr) return options_.wrapping != Wrapping::None;
  if (options_.wrapping == Wrapping::None) return opcode != Instruction::Sub;
  return extension == Extension::None ||
         (extension == Extension::Signed ? exact->hasNoSignedWrap() : exact->hasNoUnsignedWrap());
}

bool Sum::addProduct(const llvm::Operator& product, const Multiple& by, unsigned depth) {
  constexpr unsigned kMostBits = 24;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(product.getOperand(1));
  if (product.getOpcode() == Instruction::Shl) {
    if (constant == nullptr || constant->getValue().uge(kMostBits)) return false;
    return addOperand(product, 0, by.times(std::int64_t(1) << constant->getZExtValue()), depth);
  }
  if (constant != nullptr) {
    // A negative factor, read as unsigned, is a large number.
    const bool hasSign = options_.wrapping != Wrapping::None && by.extension != Extension::Unsigned;
    if (!constant->getValue().isSignedIntN(kMostBits) || (constant->isNegative() && !hasSign)) return false;
    return addOperand(product, 0, by.times(constant->getSExtValue()), depth);
  }
  if (!options_.isFactor || by.extension != Extension::None || by.factor != nullptr) return false;
  for (unsigned i = 0; i < 2; ++i)
    if (options_.isFactor(*product.getOperand(i)))
      return addOperand(product, 1 - i, {by.scale, by.extension, product.getOperand(i)}, depth);
  return false;
}

/// Adds the terms of the operation's operands. False if the operation cannot be decomposed.
bool Sum::addParts(const llvm::Operator& operation, const Multiple& by, unsigned depth) {
  if (!mayTakeApart(operation, by.extension)) return false;
  const auto follow = [&](unsigned operand, const Multiple& multiple) {
    return addOperand(operation, operand, multiple, depth);
  };
  switch (operation.getOpcode()) {
  case Instruction::Or:
  case Instruction::Add: return follow(0, by) && follow(1, by);
  case Instruction::Sub: return follow(0, by) && follow(1, by.times(-1));
  case Instruction::Mul:
  case Instruction::Shl: return addProduct(operation, by, depth);
  case Instruction::Xor: {
    // The complement of x is -1 - x, also when both are extended as signed numbers.
    const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    if (mask == nullptr || !mask->isMinusOne() || by.extension == Extension::Unsigned) return false;
    addConstant(-1, by);
    return follow(0, by.times(-1));
  }
  case Instruction::SExt:
    return by.extension != Extension::Unsigned && follow(0, {by.scale, Extension::Signed, by.factor});
  case Instruction::ZExt:
    return by.extension != Extension::Signed && follow(0, {by.scale, Extension::Unsigned, by.factor});
  case Instruction::Trunc: // the sum is that of the bits which are left
    return by.extension == Extension::None && operation.getOperand(0)->getType()->getIntegerBitWidth() <= 64 &&
           follow(0, by);
  default: return false;
  }
}

void Sum::add(Value* value, const Multiple& by, unsigned depth) {
  const bool mayWrap = options_.wrapping != Wrapping::None;
  if (!mayWrap) value = withoutCasts(value);
  const unsigned bits = value->getType()->getIntegerBitWidth();
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
      constant != nullptr && bits <= 64 && (mayWrap || constant->getValue().abs().ule(kGreatestSmall))) {
    const bool isSigned = by.extension != Extension::Unsigned;
    return addConstant(isSigned ? constant->getSExtValue() : static_cast<std::int64_t>(constant->getZExtValue()), by);
  }
  const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
  if (cast != nullptr && by.extension == Extension::None && options_.wrapping == Wrapping::InBounds &&
      addInBounds(*cast, by.scale))
    return;
  const auto* operation = llvm::dyn_cast<llvm::Operator>(value);
  const bool mayFollow = operation != nullptr && depth < kDepthLimit && (mayWrap || bits >= kIndexBits);
  if (!mayFollow || !addParts(*operation, by, depth)) form.add({value, by.scale, by.extension, by.factor});
}

} // namespace

void AffineForm::add(const Term& term) {
  auto* const same = llvm::find_if(terms, [&](const Term& other) { return term.isOfSame(other); });
  if (same == terms.end()) {
    if (term.scale != 0) terms.push_back(term);
    return;
  }
  same->scale = wrappingSum(same->scale, term.scale);
  if (same->scale == 0) terms.erase(same);
}

void AffineForm::add(const AffineForm& form, std::int64_t times) {
  constant = wrappingSum(constant, wrappingProduct(form.constant, times));
  for (Term term : form.terms) {
    term.scale = wrappingProduct(term.scale, times);
    add(term);
  }
}

std::optional<std::int64_t> AffineForm::distanceTo(const AffineForm& other) const {
  const auto hasOther = [&](const Term& term) {
    return llvm::any_of(other.terms, [&](const Term& its) { return its.isOfSame(term) && its.scale == term.scale; });
  };
  if (terms.size() != other.terms.size() || !llvm::all_of(terms, hasOther)) return std::nullopt;
  return wrappingDifference(other.constant, constant);
}

Value* withoutCasts(Value* value, unsigned leastBits) {
  while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
    if (!llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(cast) ||
        cast->getType()->getScalarSizeInBits() < leastBits || cast->getSrcTy()->getScalarSizeInBits() < leastBits)
      break;
    value = cast->getOperand(0);
  }
  return value;
}

AffineForm affineFormOf(const Value& integer, const AffineOptions& options) {
  Sum sum(options);
  sum.add(const_cast<Value*>(&integer), {});
  return sum.form;
}

AffineAddress affineAddressOf(const Value& pointer, const llvm::DataLayout& layout, const AffineOptions& options) {
  AffineAddress result;
  result.object = &pointer;
  while (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(result.object)) {
    llvm::APInt constant(64, 0);
    llvm::SmallMapVector<Value*, llvm::APInt, 4> variable;
    if (address->getType()->isVectorTy() || !address->collectOffset(layout, 64, variable, constant) ||
        (options.wrapping == Wrapping::None && constant.abs().ugt(kGreatestSmall)))
      break;
    Sum sum(options);
    sum.form.constant = constant.getSExtValue();
    for (const auto& [index, scale] : variable)
      sum.addIndex(index, scale.getSExtValue());
    if (options.isTerm &&
        !llvm::all_of(sum.form.terms, [&](const AffineForm::Term& term) { return options.isTerm(*term.value); }))
      break;
    result.offset.add(sum.form);
    result.largestMemory = std::min(result.largestMemory, sum.largestMemory);
    result.object = address->getPointerOperand();
  }
  return result;
}

AccessAddress accessAddressOf(const Value& pointer, const llvm::DataLayout& layout) {
  return {.exact = affineAddressOf(pointer, layout),
          .inBounds = affineAddressOf(pointer, layout, {.wrapping = Wrapping::InBounds})};
}

std::optional<Distance> AccessAddress::distanceTo(const AccessAddress& other) const {
  if (const auto bytes = exact.distanceTo(other.exact)) return Distance{*bytes};
  const auto bytes = inBounds.distanceTo(other.inBounds);
  if (!bytes) return std::nullopt;
  return Distance{*bytes, std::min(inBounds.largestMemory, other.inBounds.largestMemory)};
}

} // namespace clotho::compiler
