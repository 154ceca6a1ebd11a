// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/redundant_barriers.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

using Barriers = llvm::SmallPtrSet<const Instruction*, 8>;

/// Most instructions visited for one kernel; barriers that would need more stay.
constexpr unsigned kBudget = 1U << 20;

/// Accesses to the variables that the barrier guards.
llvm::SmallVector<const Instruction*, 8> guardedAccesses(const Instruction& barrier) {
  llvm::SmallVector<const Instruction*, 8> accesses;
  for (const llvm::MDOperand& operand : barrier.getMetadata(kGuardsName)->operands()) {
    const auto* variable = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(operand);
    if (variable == nullptr) continue;
    for (const llvm::User* user : variable->getValue()->users())
      if (const auto* access = llvm::dyn_cast<Instruction>(user);
          access != nullptr && access->getFunction() == barrier.getFunction())
        accesses.push_back(access);
  }
  return accesses;
}

/// Whether some path may lead from after `start` to the barrier without passing a barrier that is not in `removed`.
bool reaches(const Instruction& start, const Instruction& barrier, const Barriers& removed, unsigned& budget) {
  llvm::SmallPtrSet<const BasicBlock*, 16> reached;
  llvm::SmallVector<const Instruction*, 16> work = {start.getNextNode()};
  while (!work.empty()) {
    const Instruction* at = work.pop_back_val();
    for (; at != nullptr; at = at->getNextNode()) {
      if (at == &barrier || budget == 0) return true;
      --budget;
      if (isIntrinsic(at, Intrinsic::Barrier) && !removed.contains(at)) break;
      if (!at->isTerminator()) continue;
      for (const BasicBlock* next : llvm::successors(at->getParent()))
        if (reached.insert(next).second) work.push_back(&next->front());
    }
  }
  return false;
}

/// Whether the program is still correct without all these barriers.
bool areRedundant(const Barriers& removed, unsigned& budget) {
  return llvm::none_of(removed, [&](const Instruction* barrier) {
    return llvm::any_of(guardedAccesses(*barrier),
                        [&](const Instruction* access) { return reaches(*access, *barrier, removed, budget); });
  });
}

} // namespace

llvm::PreservedAnalyses RedundantBarriersPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isKernel(function) || function.isDeclaration() || callsIntrinsic(function, Intrinsic::Yield))
    return llvm::PreservedAnalyses::all();
  unsigned left = 0;
  llvm::SmallVector<Instruction*, 8> candidates;
  for (Instruction& instruction : llvm::instructions(function))
    if (isIntrinsic(&instruction, Intrinsic::Barrier)) {
      ++left;
      if (instruction.hasMetadata(kGuardsName)) candidates.push_back(&instruction);
    }
  Barriers removed;
  unsigned budget = kBudget;
  for (Instruction* candidate : candidates) {
    if (left == 1 || budget == 0) break;
    removed.insert(candidate);
    if (areRedundant(removed, budget))
      --left;
    else
      removed.erase(candidate);
  }
  for (Instruction* candidate : candidates)
    if (removed.contains(candidate)) candidate->eraseFromParent();
  return removed.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
