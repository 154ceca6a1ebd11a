// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/part_bit_selects.hpp"

#include "compiler/ir/bit_casts.hpp"
#include "compiler/ir/run_pass.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::Constant;
using llvm::Value;

/// A bit select: the bits of `first` where `mask` has ones, those of `second` elsewhere.
struct BitSelect {
  Value *first, *second;
  Constant* mask; ///< Constant as wide as the two values
};

/// The mask, if `rest` is its complement; otherwise null. A lane that is undefined in one is taken from the other.
Constant* complements(Constant* mask, Constant* rest) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (type == nullptr) return nullptr;
  llvm::SmallVector<Constant*, 16> lanes;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Constant *one = mask->getAggregateElement(i), *other = rest->getAggregateElement(i);
    if (one == nullptr || other == nullptr) return nullptr;
    if (!llvm::isa<llvm::UndefValue>(other)) other = llvm::ConstantExpr::getNot(other);
    if (llvm::isa<llvm::UndefValue>(one)) one = other;
    if (one != other && !llvm::isa<llvm::UndefValue>(other)) return nullptr;
    lanes.push_back(llvm::isa<llvm::UndefValue>(one) ? Constant::getNullValue(one->getType()) : one);
  }
  return llvm::ConstantVector::get(lanes);
}

std::optional<BitSelect> bitSelectOf(Value* value) {
  using namespace llvm::PatternMatch;
  Value *first = nullptr, *second = nullptr;
  Constant *mask = nullptr, *rest = nullptr;
  if (match(value, m_CopySign(m_Value(first), m_Value(second)))) {
    const unsigned bits = value->getType()->getScalarSizeInBits();
    llvm::Type* integers = value->getType()->getWithNewType(llvm::Type::getIntNTy(value->getContext(), bits));
    return BitSelect{first, second, llvm::ConstantInt::get(integers, llvm::APInt::getSignedMaxValue(bits))};
  }
  // InstCombine turns any operation that joins disjoint bits into `or`.
  if (!match(value, m_Or(m_And(m_Value(first), m_Constant(mask)), m_And(m_Value(second), m_Constant(rest)))))
    return std::nullopt;
  mask = complements(mask, rest);
  return mask != nullptr ? std::optional(BitSelect{first, second, mask}) : std::nullopt;
}

/// The value of a select whose other one is undefined, as instruction selection sees it, without bit casts.
Value* definedOf(Value* value) {
  for (;;) {
    value = withoutBitCasts(value);
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(value);
    if (choice != nullptr && llvm::isa<llvm::UndefValue>(choice->getFalseValue()))
      value = choice->getTrueValue();
    else if (choice != nullptr && llvm::isa<llvm::UndefValue>(choice->getTrueValue()))
      value = choice->getFalseValue();
    else
      return value;
  }
}

/// Replacement for a select between the bit select `of`, if the condition is `when`, and `otherwise`; null if
/// `otherwise` is not an operand of the bit select.
Value* partsChosen(llvm::SelectInst& choice, const BitSelect& of, Value* otherwise, bool when) {
  auto* type = llvm::cast<llvm::VectorType>(choice.getType());
  auto* integers = llvm::VectorType::get(llvm::Type::getIntNTy(choice.getContext(), type->getScalarSizeInBits()),
                                         type->getElementCount());
  Value* common = definedOf(otherwise);
  const bool isFirst = definedOf(of.first) == common;
  if (!isFirst && definedOf(of.second) != common) return nullptr;
  Constant* mask =
      llvm::ConstantFoldCastOperand(llvm::Instruction::BitCast, of.mask, integers, choice.getModule()->getDataLayout());
  if (mask == nullptr) return nullptr;
  llvm::IRBuilder<> builder(&choice);
  Value* unchanged = builder.CreateBitCast(common, integers);
  Value* taken = builder.CreateBitCast(isFirst ? of.second : of.first, integers);
  Value* chosen = builder.CreateSelect(choice.getCondition(), when ? taken : unchanged, when ? unchanged : taken);
  Value* first = builder.CreateAnd(isFirst ? unchanged : chosen, mask);
  Value* second = builder.CreateAnd(isFirst ? chosen : unchanged, llvm::ConstantExpr::getNot(mask));
  return builder.CreateBitCast(builder.CreateOr(first, second), type);
}

Value* partsChosen(llvm::SelectInst& choice) {
  for (const bool when : {true, false}) {
    Value* value = when ? choice.getTrueValue() : choice.getFalseValue();
    if (const auto select = bitSelectOf(withoutBitCasts(value)))
      if (Value* parts = partsChosen(choice, *select, when ? choice.getFalseValue() : choice.getTrueValue(), when))
        return parts;
  }
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses PartBitSelectsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (choice == nullptr || !choice->getCondition()->getType()->isVectorTy() ||
        choice->getType()->getScalarType()->isPointerTy())
      continue;
    Value* parts = partsChosen(*choice);
    if (parts == nullptr) continue;
    choice->replaceAllUsesWith(parts);
    choice->eraseFromParent();
    changed = true;
  }
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
