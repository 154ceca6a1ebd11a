// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/hoist_above_barriers.hpp"

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/DenseMap.h>
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

/// Moves instructions from after one barrier to before it.
class Hoist {
 public:
  Hoist(Instruction& barrier, const llvm::DominatorTree& dominators, const WorkItemUniformity& uniformity)
      : barrier_(barrier), dominators_(dominators), uniformity_(uniformity),
        behind_(blocksBehind(*barrier.getParent(), nullptr)) {}

  /// Visits the instructions between the barrier and the next one in the same block.
  bool run() {
    bool changed = false;
    for (Instruction* next = barrier_.getNextNode(); next != nullptr && !isIntrinsic(next, Intrinsic::Barrier);) {
      Instruction& instruction = *next;
      next = next->getNextNode();
      if (!isWorthIt(instruction)) continue;
      instruction.moveBefore(barrier_.getIterator());
      changed = true;
    }
    return changed;
  }

 private:
  using Blocks = llvm::SmallPtrSet<const BasicBlock*, 32>;

  bool isWorthIt(const Instruction& instruction) {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator() || instruction.mayReadOrWriteMemory() ||
        matchIntrinsic(&instruction) || !isStoredPerItem(instruction) ||
        !llvm::isSafeToSpeculativelyExecute(&instruction))
      return false;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction); call != nullptr && call->isConvergent())
      return false;
    llvm::SmallSetVector<const Instruction*, 4> operands;
    for (const Value* operand : instruction.operands())
      if (const auto* of = llvm::dyn_cast<Instruction>(operand)) operands.insert(of);
    std::uint64_t bits = 0;
    for (const Instruction* operand : operands) {
      if (!dominators_.dominates(operand, &barrier_)) return false;
      if (isStoredPerItem(*operand) && isGoneBehind(*operand, instruction)) bits += bitsOf(*operand);
    }
    return bits > bitsOf(instruction);
  }

  /// Whether the value is stored for each work-item if it is live across a barrier.
  bool isStoredPerItem(const Instruction& value) const { return !uniformity_.isUniform(value) && !isRecomputed(value); }

  /// Whether `by` is the only use of the operand after the barrier and before the operand is recomputed.
  bool isGoneBehind(const Instruction& operand, const Instruction& by) {
    return llvm::all_of(operand.uses(), [&](const llvm::Use& use) {
      const auto* user = llvm::cast<Instruction>(use.getUser());
      if (user == &by) return true;
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) user = phi->getIncomingBlock(use)->getTerminator();
      const BasicBlock* block = user->getParent();
      if (block == barrier_.getParent() && barrier_.comesBefore(user)) return false;
      if (!behind_.contains(block)) return true;
      // The use is in a loop with the barrier, or after it.
      const BasicBlock* anew = operand.getParent();
      const auto [known, isNew] = behindBefore_.try_emplace(anew);
      if (isNew) known->second = blocksBehind(*barrier_.getParent(), anew);
      return !known->second.contains(block);
    });
  }

  /// Blocks reachable from the end of `block` on paths that avoid `other`.
  static Blocks blocksBehind(const BasicBlock& block, const BasicBlock* other) {
    Blocks reached;
    llvm::SmallVector<const BasicBlock*, 16> work = {&block};
    while (!work.empty())
      for (const BasicBlock* next : llvm::successors(work.pop_back_val()))
        if (next != other && reached.insert(next).second) work.push_back(next);
    return reached;
  }

  /// Bits of a stored value; booleans are stored as bytes.
  std::uint64_t bitsOf(const Instruction& instruction) const {
    const std::uint64_t bits = barrier_.getDataLayout().getTypeSizeInBits(instruction.getType()).getFixedValue();
    return std::max<std::uint64_t>(bits, 8);
  }

  Instruction& barrier_;
  const llvm::DominatorTree& dominators_;
  const WorkItemUniformity& uniformity_;
  const Blocks behind_;
  llvm::DenseMap<const BasicBlock*, Blocks> behindBefore_; ///< For each block, those that are reached without it.
};

} // namespace

llvm::PreservedAnalyses HoistAboveBarriersPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || !callsIntrinsic(function, Intrinsic::Barrier)) return llvm::PreservedAnalyses::all();
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const auto& uniformity = analyses.getResult<WorkGroupUniformityAnalysis>(function);
  llvm::SmallVector<Instruction*, 16> barriers;
  for (Instruction& instruction : llvm::instructions(function))
    if (isIntrinsic(&instruction, Intrinsic::Barrier)) barriers.push_back(&instruction);
  bool changed = false;
  for (Instruction* barrier : barriers)
    changed |= Hoist(*barrier, dominators, uniformity).run();
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
