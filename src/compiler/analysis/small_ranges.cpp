// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/small_ranges.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler {
namespace {

llvm::ConstantRange ofConstant(const llvm::Constant* constant, unsigned bits) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(constant)) return {integer->getValue()};
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(constant->getType());
  if (vector == nullptr) return llvm::ConstantRange::getFull(bits);
  llvm::ConstantRange all = llvm::ConstantRange::getEmpty(bits);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    const auto* element = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(i));
    if (element == nullptr) return llvm::ConstantRange::getFull(bits);
    all = all.unionWith(element->getValue());
  }
  return all;
}

} // namespace

llvm::AnalysisKey SmallRangesAnalysis::Key;

llvm::ConstantRange SmallRanges::of(const llvm::Value* value) {
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  const llvm::ConstantRange range = compute(value);
  known_.insert({value, range});
  return range;
}

llvm::ConstantRange SmallRanges::compute(const llvm::Value* value) {
  const unsigned bits = value->getType()->getScalarSizeInBits();
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return ofConstant(constant, bits);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return llvm::ConstantRange::getFull(bits);
  const auto operand = [&](unsigned i) { return of(instruction->getOperand(i)); };
  const auto isSmallInteger = [](const llvm::Value* of) {
    return of->getType()->isIntOrIntVectorTy() && of->getType()->getScalarSizeInBits() <= 64;
  };
  if (!isSmallInteger(value)) return llvm::ConstantRange::getFull(bits);
  switch (instruction->getOpcode()) {
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt:
  case llvm::Instruction::Trunc: return operand(0).castOp(llvm::cast<llvm::CastInst>(instruction)->getOpcode(), bits);
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Mul:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
  case llvm::Instruction::And:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
    return operand(0).binaryOp(llvm::cast<llvm::BinaryOperator>(instruction)->getOpcode(), operand(1));
  case llvm::Instruction::Shl: {
    // LLVM's rule for shifts returns the full range for any range with negative numbers.
    const llvm::ConstantRange by = operand(1);
    const llvm::APInt* constant = by.getSingleElement();
    if (constant == nullptr || constant->uge(bits)) return operand(0).shl(by);
    return operand(0).multiply(llvm::APInt::getOneBitSet(bits, static_cast<unsigned>(constant->getZExtValue())));
  }
  case llvm::Instruction::Select: return operand(1).unionWith(operand(2));
  case llvm::Instruction::ExtractElement: return operand(0);
  case llvm::Instruction::InsertElement: return operand(0).unionWith(operand(1));
  default: break;
  }
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::smin: return operand(0).smin(operand(1));
    case llvm::Intrinsic::smax: return operand(0).smax(operand(1));
    case llvm::Intrinsic::umin: return operand(0).umin(operand(1));
    case llvm::Intrinsic::umax: return operand(0).umax(operand(1));
    case llvm::Intrinsic::abs: return operand(0).abs();
    default: break;
    }
  return llvm::ConstantRange::getFull(bits);
}

bool SmallRanges::fitsSigned(const llvm::Value* value) {
  const llvm::ConstantRange range = of(value);
  return range.getSignedMin().sge(-0x8000) && range.getSignedMax().sle(0x7fff);
}

bool SmallRanges::fitsUnsigned(const llvm::Value* value) { return of(value).getUnsignedMax().ule(0xffff); }

} // namespace clotho::compiler
