// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/count_by_select.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

constexpr unsigned kLeastBits = 2048; ///< of the sum: four registers

/// The mask of which a value is the extension; otherwise null.
Value* extendedMask(Value* value) {
  using namespace llvm::PatternMatch;
  Value* mask = nullptr;
  return match(value, m_ZExtOrSExt(m_Value(mask))) && mask->getType()->isIntOrIntVectorTy(1) ? mask : nullptr;
}

/// The select for a sum or a difference with a mask; otherwise null.
Value* countBySelect(llvm::BinaryOperator& sum) {
  const bool adds = sum.getOpcode() == llvm::Instruction::Add;
  if (!adds && sum.getOpcode() != llvm::Instruction::Sub) return nullptr;
  unsigned step = 1; ///< operand that is the mask's extension
  if (adds && extendedMask(sum.getOperand(1)) == nullptr) step = 0;
  Value *mask = extendedMask(sum.getOperand(step)), *counter = sum.getOperand(1 - step);
  if (mask == nullptr) return nullptr;
  llvm::Constant* change = llvm::isa<llvm::ZExtInst>(sum.getOperand(step))
                               ? llvm::ConstantInt::get(sum.getType(), 1)
                               : llvm::Constant::getAllOnesValue(sum.getType());
  llvm::IRBuilder<> builder(&sum);
  Value* changed = adds ? builder.CreateAdd(counter, change) : builder.CreateSub(counter, change);
  return builder.CreateSelect(mask, changed, counter);
}

} // namespace

llvm::PreservedAnalyses CountBySelectPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (sum == nullptr || !sum->getType()->isVectorTy() || sum->getType()->getPrimitiveSizeInBits() < kLeastBits)
      continue;
    Value* choice = countBySelect(*sum);
    if (choice == nullptr) continue;
    sum->replaceAllUsesWith(choice);
    sum->eraseFromParent();
    changed = true;
  }
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
