// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/count_by_select.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

constexpr unsigned kLeastBits = 2048; ///< of the sum: four registers

/// The select for a sum or a difference with a mask; otherwise null.
Value* countBySelect(llvm::BinaryOperator& sum) {
  using namespace llvm::PatternMatch;
  Value *counter = nullptr, *mask = nullptr;
  const bool adds = match(&sum, m_c_Add(m_Value(counter), m_ZExtOrSExt(m_Value(mask))));
  if (!adds && !match(&sum, m_Sub(m_Value(counter), m_ZExtOrSExt(m_Value(mask))))) return nullptr;
  if (!mask->getType()->isIntOrIntVectorTy(1)) return nullptr;
  // What is added to the counter is the other operand, whose extension tells 1 from -1.
  const Value* step = sum.getOperand(0) == counter ? sum.getOperand(1) : sum.getOperand(0);
  llvm::Constant* change = llvm::isa<llvm::ZExtInst>(step) ? llvm::ConstantInt::get(sum.getType(), 1)
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
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
