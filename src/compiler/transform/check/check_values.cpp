// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_values.hpp"

#include "compiler/transform/check/checked_accesses.hpp"

#include <llvm/ADT/APSInt.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/KnownBits.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// A fault of an operation: `bad` for each element, and two vectors or scalars of i64 for the report.
struct Finding {
  CheckKind kind;
  Value *bad, *a, *b;
};

unsigned elementsOf(const Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector != nullptr ? vector->getNumElements() : 0;
}

/// i64, or a vector of it.
Value* asNumbers(IRBuilder<>& builder, Value* value, bool isSigned) {
  return builder.CreateIntCast(value, value->getType()->getWithNewType(builder.getInt64Ty()), isSigned);
}

bool isSignedDivision(const llvm::Instruction& division) {
  return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

bool mayDivisionFail(const llvm::Instruction& division) {
  const auto* divisor = llvm::dyn_cast<llvm::Constant>(division.getOperand(1));
  if (divisor == nullptr) return true;
  const auto* number =
      llvm::dyn_cast_or_null<llvm::ConstantInt>(divisor->getType()->isVectorTy() ? divisor->getSplatValue() : divisor);
  return number == nullptr || number->isZero() || (isSignedDivision(division) && number->isMinusOne());
}

Finding divisionOf(IRBuilder<>& builder, llvm::Instruction& division) {
  const bool isSigned = isSignedDivision(division);
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  llvm::Type* type = divisor->getType();
  Value* bad = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
  if (isSigned) {
    const unsigned bits = type->getScalarSizeInBits();
    Value* isLeast = builder.CreateICmpEQ(dividend, llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits)));
    bad = builder.CreateOr(
        bad, builder.CreateAnd(isLeast, builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type))));
  }
  return {kFaultDivision, bad, asNumbers(builder, dividend, isSigned), asNumbers(builder, divisor, isSigned)};
}

bool mayShiftFail(const llvm::Instruction& shift) {
  const Value* amount = shift.getOperand(1);
  return llvm::computeKnownBits(amount, shift.getDataLayout())
      .getMaxValue()
      .uge(amount->getType()->getScalarSizeInBits());
}

Finding shiftOf(IRBuilder<>& builder, llvm::Instruction& shift) {
  Value* amount = shift.getOperand(1);
  const unsigned bits = amount->getType()->getScalarSizeInBits();
  Value* bad = builder.CreateICmpUGE(amount, llvm::ConstantInt::get(amount->getType(), bits));
  return {kFaultShift, bad, asNumbers(builder, amount, true), builder.getInt64(bits)};
}

/// A bound as a number of a type: the nearest towards zero of those that are not larger in magnitude, or infinity.
struct Bound {
  llvm::APFloat value;
  bool isExact;
};

Bound boundOf(const llvm::fltSemantics& semantics, const llvm::APSInt& number) {
  llvm::APFloat value(semantics);
  const auto status = value.convertFromAPInt(number, number.isSigned(), llvm::APFloat::rmTowardZero);
  if (status & llvm::APFloat::opOverflow) return {llvm::APFloat::getInf(semantics, number.isNegative()), true};
  return {value, status == llvm::APFloat::opOK};
}

/// Numbers whose integral part does not fit, and those that are none.
Finding conversionOf(IRBuilder<>& builder, Value* from, unsigned bits, bool isSigned) {
  const llvm::fltSemantics& semantics = from->getType()->getScalarType()->getFltSemantics();
  const auto number = [&](const llvm::APInt& value) { return llvm::APSInt(value, /*isUnsigned=*/false); };
  const unsigned room = bits + 2;
  const llvm::APInt one(room, 1);
  const llvm::APInt above = one.shl(isSigned ? bits - 1 : bits);
  const llvm::APInt below = isSigned ? -above - one : -one;
  const Bound most = boundOf(semantics, number(above)), least = boundOf(semantics, number(below));
  const auto constant = [&](const Bound& bound) { return llvm::ConstantFP::get(from->getType(), bound.value); };
  Value* fits = builder.CreateAnd(builder.CreateFCmpOLT(from, constant(most)),
                                  least.isExact ? builder.CreateFCmpOGT(from, constant(least))
                                                : builder.CreateFCmpOGE(from, constant(least)));
  llvm::Type* wide = from->getType()->getWithNewType(builder.getDoubleTy());
  Value* real = builder.CreateFPCast(from, wide);
  return {kFaultConversion, builder.CreateNot(fits),
          builder.CreateBitCast(real, from->getType()->getWithNewType(builder.getInt64Ty())), builder.getInt64(bits)};
}

/// Whether it is convert_int4(x) or the like, without `_sat`.
bool isConversion(const llvm::CallInst& call) {
  if (call.getCalledFunction() == nullptr || call.arg_size() != 1) return false;
  const llvm::StringRef name = builtinName(call.getCalledFunction()->getName());
  return name.starts_with("convert_") && !name.contains("_sat") &&
         call.getArgOperand(0)->getType()->isFPOrFPVectorTy() && call.getType()->isIntOrIntVectorTy();
}

/// The fault of an instruction for which mayLackValue holds.
Finding findingOf(IRBuilder<>& builder, llvm::Instruction& instruction) {
  const auto conversionTo = [&](bool isSigned) {
    return conversionOf(builder, instruction.getOperand(0), instruction.getType()->getScalarSizeInBits(), isSigned);
  };
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr: return shiftOf(builder, instruction);
  case llvm::Instruction::FPToSI: return conversionTo(/*isSigned=*/true);
  case llvm::Instruction::FPToUI: return conversionTo(/*isSigned=*/false);
  case llvm::Instruction::Call:
    return conversionTo(
        !builtinName(llvm::cast<llvm::CallInst>(instruction).getCalledFunction()->getName()).starts_with("convert_u"));
  default: return divisionOf(builder, instruction);
  }
}

/// Whether any element is bad, with the operands of the last that is.
Finding combined(IRBuilder<>& builder, const Finding& finding) {
  const unsigned count = elementsOf(finding.bad);
  if (count == 0) return finding;
  const auto element = [&](Value* of, unsigned i) {
    return elementsOf(of) != 0 ? builder.CreateExtractElement(of, i) : of;
  };
  Finding all{finding.kind, element(finding.bad, 0), element(finding.a, 0), element(finding.b, 0)};
  for (unsigned i = 1; i < count; ++i) {
    Value* bad = element(finding.bad, i);
    all.a = builder.CreateSelect(bad, element(finding.a, i), all.a);
    all.b = builder.CreateSelect(bad, element(finding.b, i), all.b);
    all.bad = builder.CreateOr(all.bad, bad);
  }
  return all;
}

} // namespace

bool mayLackValue(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
  case llvm::Instruction::SDiv:
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SRem:
  case llvm::Instruction::URem: return mayDivisionFail(instruction);
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr: return mayShiftFail(instruction);
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI: return true;
  case llvm::Instruction::Call: return isConversion(llvm::cast<llvm::CallInst>(instruction));
  default: return false;
  }
}

void checkValues(llvm::Function& function, Checker& checker) {
  llvm::SmallVector<llvm::Instruction*, 32> all;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (mayLackValue(instruction)) all.push_back(&instruction);
  for (llvm::Instruction* instruction : all) {
    IRBuilder<> builder(instruction);
    const Finding whole = combined(builder, findingOf(builder, *instruction));
    checker.reportIf(whole.bad, *instruction, {whole.kind, 0, nullptr, whole.a, whole.b});
  }
}

} // namespace clotho::compiler
