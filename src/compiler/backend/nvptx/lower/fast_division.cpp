// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/fast_division.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Value;
using namespace llvm::PatternMatch;

/// Largest error of div.full.f32, in ulps. That of rsqrt.approx.f32 is as small.
constexpr float kDivisionError = 2;

/// The quotient of two floats, or one over the root of `radicand` if there is one.
Value* divide(llvm::IRBuilder<>& builder, Value* dividend, Value* divisor, Value* radicand, bool flushes) {
  using namespace llvm::Intrinsic;
  if (radicand != nullptr)
    return builder.CreateIntrinsic(flushes ? nvvm_rsqrt_approx_ftz_f : nvvm_rsqrt_approx_f, {radicand});
  return builder.CreateIntrinsic(flushes ? nvvm_div_full_ftz : nvvm_div_full, {dividend, divisor});
}

void lower(llvm::BinaryOperator& division, bool flushes) {
  llvm::IRBuilder<> builder(&division);
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1), *radicand = nullptr;
  if (!match(dividend, m_FPOne()) || !match(divisor, m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value(radicand))))
    radicand = nullptr;
  Value* result = nullptr;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(division.getType())) {
    result = llvm::PoisonValue::get(division.getType());
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      const auto element = [&](Value* of) { return of == nullptr ? nullptr : builder.CreateExtractElement(of, i); };
      Value* quotient = radicand != nullptr ? divide(builder, nullptr, nullptr, element(radicand), flushes)
                                            : divide(builder, element(dividend), element(divisor), nullptr, flushes);
      result = builder.CreateInsertElement(result, quotient, i);
    }
  } else {
    result = divide(builder, dividend, divisor, radicand, flushes);
  }
  division.replaceAllUsesWith(result);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(&division); // with a root that nothing else needs
}

} // namespace

llvm::PreservedAnalyses FastDivisionPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::BinaryOperator*, 8> divisions;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* operation = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
    if (operation != nullptr && instruction.getOpcode() == llvm::Instruction::FDiv &&
        instruction.getType()->getScalarType()->isFloatTy() && operation->getFPAccuracy() >= kDivisionError &&
        !llvm::isa<llvm::Constant>(instruction.getOperand(1)))
      divisions.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
  }
  const bool flushes = function.getDenormalMode(llvm::APFloat::IEEEsingle()).Output == llvm::DenormalMode::PreserveSign;
  for (llvm::BinaryOperator* division : divisions)
    lower(*division, flushes);
  if (divisions.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
