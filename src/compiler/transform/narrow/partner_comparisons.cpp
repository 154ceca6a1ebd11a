// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/narrow/partner_comparisons.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::CmpInst;
using llvm::Value;

/// Null where it is no comparison of partners.
Value* askForBit(llvm::ICmpInst& compare) {
  using namespace llvm::PatternMatch;
  if (compare.isEquality() || compare.getOperand(0)->getType()->isVectorTy()) return nullptr;
  Value *partner = compare.getOperand(0), *own = compare.getOperand(1);
  CmpInst::Predicate predicate = compare.getPredicate();
  const llvm::APInt* difference = nullptr;
  if (!match(partner, m_Xor(m_Specific(own), m_APInt(difference)))) {
    std::swap(partner, own);
    predicate = CmpInst::getSwappedPredicate(predicate);
    if (!match(partner, m_Xor(m_Specific(own), m_APInt(difference)))) return nullptr;
  }
  if (difference->isZero()) return nullptr;
  // Of signed numbers the highest bit says the opposite.
  const bool isSign = difference->isNegative() && CmpInst::isSigned(predicate);
  const bool isGreater = predicate == CmpInst::ICMP_UGT || predicate == CmpInst::ICMP_UGE ||
                         predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_SGE;
  llvm::IRBuilder<> builder(&compare);
  const llvm::APInt bit = llvm::APInt::getOneBitSet(difference->getBitWidth(), difference->logBase2());
  Value* asked = builder.CreateAnd(own, llvm::ConstantInt::get(own->getType(), bit));
  return builder.CreateICmp(isGreater != isSign ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE, asked,
                            llvm::Constant::getNullValue(own->getType()), compare.getName());
}

} // namespace

llvm::PreservedAnalyses PartnerComparisonsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
      if (Value* asked = askForBit(*compare)) {
        compare->replaceAllUsesWith(asked);
        compare->eraseFromParent();
        changed = true;
      }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace clotho::compiler
