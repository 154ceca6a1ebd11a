// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions from floating point to integers, which LLVM's code generators scalarise if the integers are narrow or the
// conversion saturates.
#include "compiler/transform/widen/widener.hpp"

namespace clotho::compiler {

using llvm::Value;

/// Converts through 32 bits if the integer is narrower.
Value* Widener::toInteger(Value* real, llvm::Type* integer, bool isSigned) {
  if (integer->getScalarSizeInBits() < 32)
    return builder_.CreateTrunc(builder_.CreateFPToSI(real, integer->getWithNewBitWidth(32)), integer);
  return isSigned ? builder_.CreateFPToSI(real, integer) : builder_.CreateFPToUI(real, integer);
}

/// Saturating conversions to integers, which code generation would scalarise.
Value* Widener::convertSaturated(Value* value, llvm::Type* to, bool isSigned) {
  llvm::Type* from = value->getType();
  if (from->getScalarType()->isHalfTy() || from->getScalarType()->isBFloatTy()) {
    from = from->getWithNewType(builder_.getFloatTy());
    value = builder_.CreateFPExt(value, from);
  }
  const unsigned bits = to->getScalarSizeInBits();
  const llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  const llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  llvm::APFloat low(from->getScalarType()->getFltSemantics()), high = low;
  low.convertFromAPInt(least, isSigned, llvm::APFloat::rmTowardZero);
  const bool isExact = high.convertFromAPInt(most, isSigned, llvm::APFloat::rmTowardZero) == llvm::APFloat::opOK;
  Value* lowest = llvm::ConstantFP::get(from, low);
  Value* highest = llvm::ConstantFP::get(from, high);
  if (isExact) {
    if (isSigned)
      value = builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), llvm::ConstantFP::getZero(from), value);
    value = builder_.CreateSelect(builder_.CreateFCmpOGT(value, lowest), value, lowest);
    value = builder_.CreateSelect(builder_.CreateFCmpOLT(value, highest), value, highest);
    return toInteger(value, to, isSigned);
  }
  // Values out of range become poison, which the selects do not take.
  Value* result = isSigned ? builder_.CreateFPToSI(value, to) : builder_.CreateFPToUI(value, to);
  result = builder_.CreateSelect(builder_.CreateFCmpOLT(value, lowest), llvm::ConstantInt::get(to, least), result);
  result = builder_.CreateSelect(builder_.CreateFCmpOGT(value, highest), llvm::ConstantInt::get(to, most), result);
  return builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), llvm::ConstantInt::get(to, 0), result);
}

} // namespace clotho::compiler
