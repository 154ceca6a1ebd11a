// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/narrow_counters.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kBits = 32;

class CounterNarrower {
 public:
  explicit CounterNarrower(llvm::Function& function) : type_(llvm::Type::getInt32Ty(function.getContext())) {}

  void add(llvm::PHINode& counter) {
    narrow_[&counter] =
        llvm::PHINode::Create(type_, counter.getNumIncomingValues(), counter.getName(), counter.getIterator());
  }

  /// Narrows the counters. Returns whether there was any.
  bool run() {
    for (const auto& [counter, narrow] : narrow_)
      for (unsigned i = 0; i < counter->getNumIncomingValues(); ++i) {
        llvm::BasicBlock* from = counter->getIncomingBlock(i);
        // A block with several edges to the phi provides one value.
        const int before = narrow->getBasicBlockIndex(from);
        llvm::IRBuilder<> builder(from->getTerminator());
        narrow->addIncoming(before >= 0 ? narrow->getIncomingValue(static_cast<unsigned>(before))
                                        : lowerHalf(counter->getIncomingValue(i), builder),
                            from);
      }
    for (const auto& [counter, narrow] : narrow_) {
      llvm::IRBuilder<> builder(counter->getParent(), counter->getParent()->getFirstInsertionPt());
      counter->replaceAllUsesWith(builder.CreateSExt(narrow, counter->getType()));
    }
    for (const auto& [counter, narrow] : narrow_)
      counter->eraseFromParent();
    return !narrow_.empty();
  }

 private:
  /// The low half of a value, computed from the low halves of its operands if that is simple.
  Value* lowerHalf(Value* value, llvm::IRBuilder<>& builder, unsigned depth = 0) {
    using namespace llvm::PatternMatch;
    constexpr unsigned kDepthLimit = 4;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      if (const auto found = narrow_.find(phi); found != narrow_.end()) return found->second;
    Value *first = nullptr, *second = nullptr;
    if (depth < kDepthLimit) {
      if (match(value, m_SExt(m_Value(first))) && first->getType() == type_) return first;
      if (match(value, m_ZExt(m_Value(first))) && first->getType() == type_) return first;
      if (match(value, m_AShr(m_Shl(m_Value(first), m_SpecificInt(kBits)), m_SpecificInt(kBits))))
        return lowerHalf(first, builder, depth + 1);
      if (match(value, m_c_Add(m_Value(first), m_Value(second))) ||
          match(value, m_Sub(m_Value(first), m_Value(second))))
        return builder.CreateBinOp(llvm::cast<llvm::BinaryOperator>(value)->getOpcode(),
                                   lowerHalf(first, builder, depth + 1), lowerHalf(second, builder, depth + 1));
    }
    return builder.CreateTrunc(value, type_);
  }

  llvm::Type* type_;
  llvm::SmallMapVector<llvm::PHINode*, llvm::PHINode*, 4> narrow_;
};

/// Drops poison-generating flags of results whose upper half changes and is not needed.
void dropPromises(llvm::PHINode& counter, llvm::DemandedBits& demanded) {
  llvm::SmallVector<llvm::User*, 8> work(counter.users());
  llvm::SmallPtrSet<const llvm::User*, 16> seen;
  while (!work.empty()) {
    auto* user = llvm::dyn_cast<Instruction>(work.pop_back_val());
    if (user == nullptr || !seen.insert(user).second) continue;
    user->dropPoisonGeneratingAnnotations();
    if (user->getType()->isIntOrIntVectorTy() && !demanded.getDemandedBits(user).isAllOnes())
      work.append(user->user_begin(), user->user_end());
  }
}

} // namespace

llvm::PreservedAnalyses NarrowCountersPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& demanded = analyses.getResult<llvm::DemandedBitsAnalysis>(function);
  llvm::SmallVector<llvm::PHINode*, 4> counters;
  for (llvm::BasicBlock& block : function)
    for (llvm::PHINode& phi : block.phis())
      if (phi.getType()->isIntegerTy(2 * kBits) && !phi.use_empty() &&
          demanded.getDemandedBits(&phi).getActiveBits() <= kBits)
        counters.push_back(&phi);
  for (llvm::PHINode* counter : counters)
    dropPromises(*counter, demanded);
  CounterNarrower narrower(function);
  for (llvm::PHINode* counter : counters)
    narrower.add(*counter);
  if (!narrower.run()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  analyses.invalidate(function, preserved);
  // Removes extensions of the low half, and merges sums that existed in both widths.
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  preserved.intersect(passes.run(function, analyses));
  return preserved;
}

} // namespace clotho::compiler
