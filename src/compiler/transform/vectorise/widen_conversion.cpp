// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions from floating point to integers, which LLVM's code generators take apart lane by lane when the integers
// are narrow or the conversion saturates.
#include "compiler/transform/vectorise/widener.hpp"

#include <cmath>

namespace clotho::compiler {

using llvm::Value;

namespace {

/// By way of 32 bits where the integer is narrower; half by way of single precision, which holds the limits of all.
Value* convert(llvm::IRBuilder<>& builder, Value* real, llvm::Type* integer, bool isSigned) {
  const unsigned bits = integer->getScalarSizeInBits();
  llvm::Type* through = bits < 32 ? integer->getWithNewType(builder.getInt32Ty()) : integer;
  Value* whole = isSigned || bits < 32 ? builder.CreateFPToSI(real, through) : builder.CreateFPToUI(real, through);
  return builder.CreateTrunc(whole, integer);
}

} // namespace

Value* Widener::toInteger(Value* real, llvm::Type* integer, bool isSigned) {
  return convert(builder_, real, integer, isSigned);
}

/// What is out of range becomes the nearest limit, and not a number zero.
Value* Widener::toIntegerSaturated(Value* real, llvm::Type* integer, bool isSigned) {
  if (real->getType()->getScalarType()->isHalfTy())
    real = builder_.CreateFPExt(real, real->getType()->getWithNewType(builder_.getFloatTy()));
  const unsigned bits = integer->getScalarSizeInBits();
  llvm::Type* type = real->getType();
  const double power = std::ldexp(1.0, static_cast<int>(isSigned ? bits - 1 : bits));
  llvm::Constant* zero = llvm::ConstantFP::getZero(type);
  llvm::Constant* end = llvm::ConstantFP::get(type, power);
  if (bits <= 16) {
    // The limits are exact, so the number itself can be brought between them.
    llvm::Constant* least = isSigned ? llvm::ConstantFP::get(type, -power) : zero;
    llvm::Constant* most = llvm::ConstantFP::get(type, power - 1);
    if (isSigned) real = builder_.CreateSelect(builder_.CreateFCmpORD(real, zero), real, zero);
    real = builder_.CreateSelect(builder_.CreateFCmpOGT(real, least), real, least);
    real = builder_.CreateSelect(builder_.CreateFCmpOLT(real, most), real, most);
    return convert(builder_, real, integer, isSigned);
  }
  Value* isHigh = builder_.CreateFCmpOGE(real, end);
  Value* isFit = builder_.CreateFCmpOLT(real, end);
  Value* isLow = nullptr;
  if (isSigned) {
    isLow = builder_.CreateFCmpOLT(real, builder_.CreateFNeg(end));
    isFit = builder_.CreateAnd(isFit, builder_.CreateNot(isLow));
  } else {
    isFit = builder_.CreateAnd(isFit, builder_.CreateFCmpOGT(real, llvm::ConstantFP::get(type, -1.0)));
  }
  Value* safe = builder_.CreateSelect(isFit, real, zero);
  Value* result = convert(builder_, safe, integer, isSigned);
  const llvm::APInt most = isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  result = builder_.CreateSelect(isHigh, llvm::ConstantInt::get(integer, most), result);
  if (isLow == nullptr) return result;
  return builder_.CreateSelect(isLow, llvm::ConstantInt::get(integer, llvm::APInt::getSignedMinValue(bits)), result);
}

} // namespace clotho::compiler
