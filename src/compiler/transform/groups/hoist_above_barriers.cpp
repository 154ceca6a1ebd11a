// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/hoist_above_barriers.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

class Hoist {
 public:
  Hoist(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses)
      : dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
        uniformity_(analyses.getResult<WorkGroupUniformityAnalysis>(kernel)), layout_(kernel.getDataLayout()) {}

  /// What follows the barrier in its block, up to the next one.
  bool aboveBarrier(Instruction& barrier) {
    bool changed = false;
    for (Instruction* next = barrier.getNextNode(); next != nullptr && !isIntrinsic(next, Intrinsic::Barrier);) {
      Instruction& instruction = *next;
      next = next->getNextNode();
      if (!isWorthIt(instruction, barrier)) continue;
      instruction.moveBefore(barrier.getIterator());
      changed = true;
    }
    return changed;
  }

 private:
  bool isWorthIt(const Instruction& instruction, const Instruction& barrier) const {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator() || instruction.mayReadOrWriteMemory() ||
        matchIntrinsic(&instruction) || uniformity_.isUniform(instruction) ||
        !llvm::isSafeToSpeculativelyExecute(&instruction))
      return false;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction); call != nullptr && call->isConvergent())
      return false;
    std::uint64_t bits = 0;
    for (const Instruction* operand : operandsOf(instruction)) {
      if (!dominators_.dominates(operand, &barrier)) return false;
      if (isGoneBehind(*operand, instruction, barrier)) bits += bitsOf(*operand);
    }
    return bits > bitsOf(instruction);
  }

  static llvm::SmallSetVector<const Instruction*, 4> operandsOf(const Instruction& instruction) {
    llvm::SmallSetVector<const Instruction*, 4> operands;
    for (const Value* operand : instruction.operands())
      if (const auto* of = llvm::dyn_cast<Instruction>(operand)) operands.insert(of);
    return operands;
  }

  /// Behind the barrier nobody else needs the operand, which each work-item has its own of, before it is computed anew.
  bool isGoneBehind(const Instruction& operand, const Instruction& by, const Instruction& barrier) const {
    if (uniformity_.isUniform(operand)) return false;
    const auto reached = blocksBehind(*barrier.getParent(), *operand.getParent());
    return llvm::all_of(operand.uses(), [&](const llvm::Use& use) {
      const auto* user = llvm::cast<Instruction>(use.getUser());
      if (user == &by) return true;
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) user = phi->getIncomingBlock(use)->getTerminator();
      const bool followsDirectly = user->getParent() == barrier.getParent() && barrier.comesBefore(user);
      return !followsDirectly && !reached.contains(user->getParent());
    });
  }

  /// Blocks that begin after the end of one and before the next run of another.
  static llvm::SmallPtrSet<const BasicBlock*, 32> blocksBehind(const BasicBlock& block, const BasicBlock& before) {
    llvm::SmallPtrSet<const BasicBlock*, 32> reached;
    llvm::SmallVector<const BasicBlock*, 16> work = {&block};
    while (!work.empty())
      for (const BasicBlock* next : llvm::successors(work.pop_back_val()))
        if (next != &before && reached.insert(next).second) work.push_back(next);
    return reached;
  }

  std::uint64_t bitsOf(const Instruction& instruction) const {
    return layout_.getTypeSizeInBits(instruction.getType()).getFixedValue();
  }

  const llvm::DominatorTree& dominators_;
  const WorkItemUniformity& uniformity_;
  const llvm::DataLayout& layout_;
};

} // namespace

llvm::PreservedAnalyses HoistAboveBarriersPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || !callsIntrinsic(function, Intrinsic::Barrier)) return llvm::PreservedAnalyses::all();
  Hoist hoist(function, analyses);
  bool changed = false;
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (isIntrinsic(&instruction, Intrinsic::Barrier)) changed |= hoist.aboveBarrier(instruction);
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
