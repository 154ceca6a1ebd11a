// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and sums that a module allows to be one operation: all modules without ContractionOff do.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler::spirv {
namespace {

bool mayContract(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::FPMathOperator>(instruction) && instruction.hasAllowContract();
}

/// Whether the arithmetic may be done otherwise than by contraction. Such functions have one code anyway.
bool isReordered(const llvm::Instruction& instruction) {
  const auto* real = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
  return real != nullptr && (real->hasAllowReassoc() || real->hasAllowReciprocal() || real->hasApproxFunc());
}

/// The product if this operand of the sum is one, has no other use and may be contracted; null otherwise.
llvm::BinaryOperator* productIn(const llvm::BinaryOperator& sum, unsigned operand) {
  auto* product = llvm::dyn_cast<llvm::BinaryOperator>(sum.getOperand(operand));
  const bool isOne = product != nullptr && product->getOpcode() == llvm::Instruction::FMul && product->hasOneUse() &&
                     product->getParent() == sum.getParent() && product->comesBefore(&sum) && mayContract(*product);
  return isOne ? product : nullptr;
}

/// Makes one operation of the sum or difference and a product in it; clang takes the left one of two, too.
void contract(llvm::BinaryOperator& sum) {
  const unsigned at = productIn(sum, 0) != nullptr ? 0 : 1;
  llvm::BinaryOperator* product = productIn(sum, at);
  if (product == nullptr) return;
  llvm::IRBuilder<> builder(&sum);
  llvm::Value *factor = product->getOperand(0), *other = sum.getOperand(1 - at);
  if (sum.getOpcode() == llvm::Instruction::FSub)
    (at == 0 ? other : factor) = builder.CreateFNeg(at == 0 ? other : factor);
  llvm::CallInst* made =
      builder.CreateIntrinsic(llvm::Intrinsic::fmuladd, sum.getType(), {factor, product->getOperand(1), other});
  made->setFastMathFlags(sum.getFastMathFlags() & product->getFastMathFlags());
  made->takeName(&sum);
  sum.replaceAllUsesWith(made);
  sum.eraseFromParent();
  product->eraseFromParent();
}

} // namespace

void Reader::contractProducts() {
  for (llvm::Function& function : *module_) {
    if (llvm::any_of(llvm::instructions(function), isReordered)) continue;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if ((instruction.getOpcode() == llvm::Instruction::FAdd || instruction.getOpcode() == llvm::Instruction::FSub) &&
          mayContract(instruction))
        contract(llvm::cast<llvm::BinaryOperator>(instruction));
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (mayContract(instruction)) instruction.setHasAllowContract(false);
  }
}

} // namespace clotho::compiler::spirv
