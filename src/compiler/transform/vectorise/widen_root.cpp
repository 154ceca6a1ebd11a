// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One over a square root, for which a division and a root take a processor ten times as long as an estimate that is
// made better.
#include "compiler/transform/vectorise/widener.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {

using llvm::Value;

/// The square root of float that is divided into one here, where the result need not be rounded correctly: without
/// -cl-fp32-correctly-rounded-divide-sqrt the front end says so of each division. Null for other divisions.
llvm::CallInst* Widener::rootToInvert(llvm::BinaryOperator& division) const {
  constexpr float kEnough = 2.0F; // ulp, of rsqrt and of the division
  using namespace llvm::PatternMatch;
  if (!plan_.cpu.hasRootEstimate || division.getOpcode() != llvm::Instruction::FDiv ||
      !division.getType()->getScalarType()->isFloatTy() || plan_.width % 4 != 0)
    return nullptr;
  if (llvm::cast<llvm::FPMathOperator>(division).getFPAccuracy() < kEnough) return nullptr;
  if (!llvm::PatternMatch::match(division.getOperand(0), m_SpecificFP(1.0))) return nullptr;
  auto* root = llvm::dyn_cast<llvm::CallInst>(division.getOperand(1));
  return root != nullptr && root->getIntrinsicID() == llvm::Intrinsic::sqrt ? root : nullptr;
}

/// One step of Newton's from an estimate of 14 bits: less than one ulp. At zero and at infinity the error of the
/// estimate is no number, while the estimate is right: any positive error keeps it, so the minimum of the error, which
/// is tiny, and one is taken. MINPS gives its second operand where the first is no number, at the price of no mask.
Value* Widener::reciprocalRoot(Value* value) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
  const unsigned each = std::min(count, 16U);
  const llvm::Intrinsic::ID id = each == 16  ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_512
                                 : each == 8 ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_256
                                             : llvm::Intrinsic::x86_avx512_rsqrt14_ps_128;
  llvm::SmallVector<Value*, 8> estimates;
  for (unsigned first = 0; first < count; first += each) {
    Value* piece = count == each
                       ? value
                       : builder_.CreateShuffleVector(value, llvm::createSequentialMask(first, each, /*NumUndefs=*/0));
    Value* all = llvm::ConstantInt::getAllOnesValue(builder_.getIntNTy(std::max(each, 8U)));
    estimates.push_back(builder_.CreateIntrinsic(id, {}, {piece, llvm::Constant::getNullValue(piece->getType()), all}));
  }
  Value* estimate = llvm::concatenateVectors(builder_, estimates);
  llvm::Type* type = value->getType();
  const auto fma = [&](Value* a, Value* b, Value* c) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
  };
  // y + y / 2 * (1 - x * y * y)
  Value* one = llvm::ConstantFP::get(type, 1.0);
  Value* error = fma(builder_.CreateFNeg(builder_.CreateFMul(value, estimate)), estimate, one);
  error = builder_.CreateSelect(builder_.CreateFCmpOLT(error, one), error, one);
  Value* half = builder_.CreateFMul(estimate, llvm::ConstantFP::get(type, 0.5));
  return fma(half, error, estimate);
}

} // namespace clotho::compiler
