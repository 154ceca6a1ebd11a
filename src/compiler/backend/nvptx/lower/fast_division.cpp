// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/fast_division.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::Value;
using namespace llvm::PatternMatch;

/// Largest error of div.full.f32, in ulps. Those of rsqrt.approx.f32 and sqrt.approx.f32 are as small.
constexpr float kError = 2;

/// An instruction by which a result is computed, its variant that flushes denormals, and its operands.
struct Instead {
  llvm::Intrinsic::ID instruction, flushing;
  llvm::SmallVector<Value*, 2> operands;
};

/// The operation to compute instead of a quotient or a root of floats; no operands if it has to be exact.
Instead insteadOf(llvm::Instruction& instruction) {
  using namespace llvm::Intrinsic;
  const auto* operation = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
  if (operation == nullptr || !instruction.getType()->getScalarType()->isFloatTy() ||
      operation->getFPAccuracy() < kError)
    return {};
  Value *dividend = nullptr, *divisor = nullptr, *radicand = nullptr;
  if (match(&instruction, m_FDiv(m_FPOne(), m_Intrinsic<sqrt>(m_Value(radicand)))))
    return {nvvm_rsqrt_approx_f, nvvm_rsqrt_approx_ftz_f, {radicand}};
  if (match(&instruction, m_FDiv(m_Value(dividend), m_Value(divisor))) && !llvm::isa<llvm::Constant>(divisor))
    return {nvvm_div_full, nvvm_div_full_ftz, {dividend, divisor}};
  if (match(&instruction, m_Intrinsic<sqrt>(m_Value(radicand))))
    return {nvvm_sqrt_approx_f, nvvm_sqrt_approx_ftz_f, {radicand}};
  return {};
}

void replace(llvm::Instruction& instruction, const Instead& instead, bool flushes) {
  llvm::IRBuilder<> builder(&instruction);
  const llvm::Intrinsic::ID chosen = flushes ? instead.flushing : instead.instruction;
  Value* result = nullptr;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType())) {
    result = llvm::PoisonValue::get(instruction.getType());
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      llvm::SmallVector<Value*, 2> elements;
      for (Value* operand : instead.operands)
        elements.push_back(builder.CreateExtractElement(operand, i));
      result = builder.CreateInsertElement(result, builder.CreateIntrinsic(chosen, elements), i);
    }
  } else {
    result = builder.CreateIntrinsic(chosen, instead.operands);
  }
  instruction.replaceAllUsesWith(result);
}

} // namespace

llvm::PreservedAnalyses FastDivisionPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const bool flushes = function.getDenormalMode(llvm::APFloat::IEEEsingle()).Output == llvm::DenormalMode::PreserveSign;
  bool changed = false;
  // Quotients by a root come before the roots, some of which have no use afterwards.
  for (const unsigned opcode : std::initializer_list<unsigned>{llvm::Instruction::FDiv, llvm::Instruction::Call})
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (const Instead instead = insteadOf(instruction);
          instruction.getOpcode() == opcode && !instead.operands.empty()) {
        if (!instruction.use_empty()) replace(instruction, instead, flushes);
        instruction.eraseFromParent();
        changed = true;
      }
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
