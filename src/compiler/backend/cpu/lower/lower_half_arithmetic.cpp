// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/lower_half_arithmetic.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

namespace Intrinsic = llvm::Intrinsic;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

bool isHalf(const Type* type) { return type->isFPOrFPVectorTy() && type->getScalarType()->isHalfTy(); }

/// Lowers half arithmetic, one instruction at a time.
class HalfArithmetic {
 public:
  HalfArithmetic(llvm::LLVMContext& context, bool hasConversions)
      : builder_(context), hasConversions_(hasConversions) {}

  bool lower(Instruction& instruction) {
    builder_.SetInsertPoint(&instruction);
    Value* lowered = replacement(instruction);
    if (lowered == nullptr) return false;
    instruction.replaceAllUsesWith(lowered);
    if (llvm::isa<Instruction>(lowered)) lowered->takeName(&instruction);
    instruction.eraseFromParent();
    return true;
  }

 private:
  Value* replacement(Instruction& instruction) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) return intrinsic(*call);
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return conversion(*cast);
    if (instruction.getNumOperands() == 0 || !isHalf(instruction.getOperand(0)->getType())) return nullptr;
    Value* left = instruction.getOperand(0);
    if (auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction))
      return flagged(builder_.CreateFCmp(compare->getPredicate(), wide(left), wide(compare->getOperand(1))), *compare);
    if (instruction.getOpcode() == Instruction::FNeg)
      return ofBits(builder_.CreateXor(bits(left), signs(left)), left->getType());
    auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (binary == nullptr) return nullptr;
    // A float has more than twice a half's precision plus two bits, so rounding sum, product and quotient twice is
    // harmless.
    return narrow(flagged(builder_.CreateBinOp(binary->getOpcode(), wide(left), wide(binary->getOperand(1))), *binary));
  }

  Value* conversion(llvm::CastInst& cast) {
    Value* from = cast.getOperand(0);
    switch (cast.getOpcode()) {
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return isHalf(from->getType()) ? builder_.CreateCast(cast.getOpcode(), wide(from), cast.getType()) : nullptr;
    case Instruction::FPExt:
      if (!isHalf(from->getType())) return nullptr;
      if (cast.getType()->getScalarType()->isFloatTy()) return hasConversions_ ? nullptr : wide(from);
      return builder_.CreateFPExt(wide(from), cast.getType());
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      // Integers that a float cannot represent exactly are too large for halves anyway.
      if (!isHalf(cast.getType())) return nullptr;
      return narrow(builder_.CreateCast(cast.getOpcode(), from, floats(cast.getType())));
    case Instruction::FPTrunc:
      if (!isHalf(cast.getType())) return nullptr;
      if (from->getType()->getScalarType()->isFloatTy()) return hasConversions_ ? nullptr : narrow(from);
      return narrow(builder_.CreateFPTrunc(toOdd(from), floats(cast.getType())));
    default: return nullptr;
    }
  }

  Value* intrinsic(llvm::IntrinsicInst& call) {
    if (call.arg_empty() || !isHalf(call.getArgOperand(call.arg_size() - 1)->getType())) return nullptr;
    Value* x = call.getArgOperand(0);
    switch (call.getIntrinsicID()) {
    case Intrinsic::fabs: return ofBits(builder_.CreateAnd(bits(x), builder_.CreateNot(signs(x))), x->getType());
    case Intrinsic::copysign: {
      Value* magnitude = builder_.CreateAnd(bits(x), builder_.CreateNot(signs(x)));
      Value* sign = builder_.CreateAnd(bits(call.getArgOperand(1)), signs(x));
      return ofBits(builder_.CreateOr(magnitude, sign), x->getType());
    }
    case Intrinsic::fma: return fma(x, call.getArgOperand(1), call.getArgOperand(2));
    case Intrinsic::fmuladd: {
      Value* product = narrow(builder_.CreateFMul(wide(x), wide(call.getArgOperand(1))));
      return narrow(builder_.CreateFAdd(wide(product), wide(call.getArgOperand(2))));
    }
    case Intrinsic::sqrt:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::round:
    case Intrinsic::roundeven:
    case Intrinsic::canonicalize:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
    case Intrinsic::minimumnum:
    case Intrinsic::maximumnum:
    case Intrinsic::vector_reduce_fadd:
    case Intrinsic::vector_reduce_fmul:
    case Intrinsic::vector_reduce_fmin:
    case Intrinsic::vector_reduce_fmax:
    case Intrinsic::vector_reduce_fminimum:
    case Intrinsic::vector_reduce_fmaximum: return narrow(asFloat(call, floats(call.getType())));
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat: return asFloat(call, call.getType());
    default: return nullptr;
    }
  }

  /// Calls the intrinsic on floats.
  Value* asFloat(llvm::IntrinsicInst& call, Type* result) {
    llvm::SmallVector<Value*, 2> arguments;
    for (Value* argument : call.args())
      arguments.push_back(wide(argument));
    return flagged(builder_.CreateIntrinsic(result, call.getIntrinsicID(), arguments), call);
  }

  /// The product of two halves is exact as a float. The sum is rounded to odd: its last bit is set if the rounding
  /// error is not zero. A float with an odd last bit is never a tie between halves, and lies on the correct side of
  /// one.
  Value* fma(Value* x, Value* y, Value* z) {
    Value* product = builder_.CreateFMul(wide(x), wide(y));
    Value* addend = wide(z);
    Value* sum = builder_.CreateFAdd(product, addend);
    Value* ofAddend = builder_.CreateFSub(sum, product);
    Value* ofProduct = builder_.CreateFSub(sum, ofAddend);
    Value* error = builder_.CreateFAdd(builder_.CreateFSub(product, ofProduct), builder_.CreateFSub(addend, ofAddend));
    Value* sumBits = bits(sum);
    Type* integers = sumBits->getType();
    Value* one = llvm::ConstantInt::get(integers, 1);
    // Adjusts by one ulp, up (1) or down (-1) in magnitude.
    Value* step = builder_.CreateOr(builder_.CreateAShr(builder_.CreateXor(sumBits, bits(error)), 31), one);
    Value* isEven = builder_.CreateIsNull(builder_.CreateAnd(sumBits, one));
    // Infinities and NaN have no error or a NaN as error.
    Value* isInexact = builder_.CreateFCmpONE(error, llvm::ConstantFP::getZero(error->getType()));
    Value* odd =
        builder_.CreateSelect(builder_.CreateAnd(isEven, isInexact), builder_.CreateAdd(sumBits, step), sumBits);
    return narrow(ofBits(odd, sum->getType()));
  }

  /// Rounds doubles to odd, to the 24 bits of a float: the last bit is set if any bit below it was.
  Value* toOdd(Value* x) {
    Value* number = bits(x);
    Value* behind = llvm::ConstantInt::get(number->getType(), (1u << 29) - 1);
    Value* carry = builder_.CreateAdd(builder_.CreateAnd(number, behind), behind);
    return ofBits(builder_.CreateAnd(builder_.CreateOr(number, carry), builder_.CreateNot(behind)), x->getType());
  }

  Type* floats(Type* type) { return type->getWithNewType(builder_.getFloatTy()); }
  Value* wide(Value* x) { return hasConversions_ ? builder_.CreateFPExt(x, floats(x->getType())) : wideByIntegers(x); }
  Value* narrow(Value* x) {
    Type* type = x->getType()->getWithNewType(builder_.getHalfTy());
    return hasConversions_ ? builder_.CreateFPTrunc(x, type) : narrowByIntegers(x, type);
  }

  /// Adds 112 to the exponent. A denormal half gets an implicit leading bit first, as a float below the smallest normal
  /// half, and the bit is subtracted again.
  Value* wideByIntegers(Value* x) {
    Type* floatType = floats(x->getType());
    Type* type = floatType->getWithNewType(builder_.getInt32Ty());
    const auto number = [&](std::uint32_t value) { return llvm::ConstantInt::get(type, value); };
    Value* all = builder_.CreateZExt(bits(x), type);
    Value* sign = builder_.CreateShl(builder_.CreateAnd(all, number(0x8000)), 16);
    Value* magnitude = builder_.CreateAnd(all, number(0x7fff));
    Value* shifted = builder_.CreateShl(magnitude, 13);
    Value* normal = builder_.CreateAdd(shifted, number(112u << 23));
    Value* least = ofBits(number(113u << 23), floatType);
    Value* raised = ofBits(builder_.CreateAdd(shifted, number(113u << 23)), floatType);
    Value* denormal = bits(builder_.CreateFSub(raised, least));
    Value* special = builder_.CreateOr(shifted, number(0x7f800000));
    Value* result = builder_.CreateSelect(builder_.CreateICmpULT(magnitude, number(0x400)), denormal, normal);
    result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, number(0x7c00)), special, result);
    return ofBits(builder_.CreateOr(result, sign), floatType);
  }

  /// Rounds to nearest, ties to even. A normal half results from an addition that carries into the exponent, up to
  /// infinity. A denormal half results from a sum with a float whose last bit has the weight of the half's.
  Value* narrowByIntegers(Value* x, Type* halfType) {
    Value* all = bits(x);
    Type* type = all->getType();
    const auto number = [&](std::uint32_t value) { return llvm::ConstantInt::get(type, value); };
    Value* sign = builder_.CreateAnd(builder_.CreateLShr(all, 16), number(0x8000));
    Value* magnitude = builder_.CreateAnd(all, number(0x7fffffff));
    Value* shifted = builder_.CreateLShr(magnitude, 13);
    Value* isOdd = builder_.CreateAnd(shifted, number(1));
    Value* lower = builder_.CreateAdd(magnitude, number(0xfff - (112u << 23)));
    Value* normal = builder_.CreateLShr(builder_.CreateAdd(lower, isOdd), 13);
    Value* half = llvm::ConstantFP::get(x->getType(), 0.5);
    Value* sum = builder_.CreateFAdd(ofBits(magnitude, x->getType()), half);
    Value* denormal = builder_.CreateSub(bits(sum), bits(half));
    Value* quiet = builder_.CreateOr(builder_.CreateAnd(shifted, number(0x3ff)), number(0x7e00));
    Value* isNan = builder_.CreateICmpUGT(magnitude, number(0x7f800000));
    Value* special = builder_.CreateSelect(isNan, quiet, number(0x7c00));
    Value* result = builder_.CreateSelect(builder_.CreateICmpULT(magnitude, number(113u << 23)), denormal, normal);
    result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, number(143u << 23)), special, result);
    Type* narrowType = type->getWithNewBitWidth(16);
    return ofBits(builder_.CreateTrunc(builder_.CreateOr(result, sign), narrowType), halfType);
  }

  Value* bits(Value* x) {
    Type* type = x->getType();
    return builder_.CreateBitCast(x, type->getWithNewType(builder_.getIntNTy(type->getScalarSizeInBits())));
  }
  Value* ofBits(Value* x, Type* type) { return builder_.CreateBitCast(x, type); }
  Value* signs(Value* x) { return llvm::ConstantInt::get(bits(x)->getType(), 0x8000); }

  Value* flagged(Value* made, Instruction& original) {
    if (auto* instruction = llvm::dyn_cast<Instruction>(made);
        instruction != nullptr && llvm::isa<llvm::FPMathOperator>(original) && llvm::isa<llvm::FPMathOperator>(made))
      instruction->copyFastMathFlags(&original);
    return made;
  }

  llvm::IRBuilder<> builder_;
  bool hasConversions_;
};

} // namespace

llvm::PreservedAnalyses LowerHalfArithmeticPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  HalfArithmetic arithmetic(function.getContext(), hasConversions_);
  bool changed = false;
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    changed |= arithmetic.lower(instruction);
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
