// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/PassManager.h>

namespace llvm {
class DominatorTree;
class Function;
class Instruction;
class Loop;
class LoopInfo;
} // namespace llvm

namespace clotho::compiler {

/// Whether a loop of the kernel may wait for another work-item: a branch in a loop depends on an atomic or volatile
/// read of memory that the kernel also writes elsewhere, as with a lock. The lanes of a sub-group leave such a loop
/// only together, so the lane that holds the lock would wait for those that want it. False if every loop ends on
/// invariant conditions: atomics there only count or mark. `assumesApart` is set if some loop is known not to wait only
/// when arguments share no memory. Such a loop counts as not waiting only if `mayAssumeApart`.
bool hasWaitingLoop(const llvm::Function& kernel, const llvm::LoopInfo& loops, bool mayAssumeApart, bool& assumesApart);

/// The loops whose end depends on an atomic or volatile read of memory that others can write: a work-item may spin
/// there until another one, or the host, writes. Loops that only retry an exchange because another one has succeeded
/// are not included. `mayAssumeApart`: arguments share no memory.
llvm::SmallVector<llvm::Loop*, 2> loopsThatWait(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                                                bool mayAssumeApart);

/// Loops with such a read that nevertheless end without other work-items (analysis/exchange_loops.hpp).
llvm::SmallVector<llvm::Loop*, 2> loopsThatEndAlone(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                                                    bool mayAssumeApart);

/// Whether the instruction may be an atomic or volatile read that a loop waits on, either the loop around it or one
/// that it is inlined into.
bool mayReadForOthers(const llvm::Instruction& instruction);

/// The result of loopsThatWait for a function.
struct WaitingLoops {
  llvm::SmallVector<llvm::Loop*, 2> loops;

  /// The result refers to LoopInfo and is invalid without it.
  bool invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                  llvm::FunctionAnalysisManager::Invalidator& invalidator);
};

class WaitingLoopsAnalysis : public llvm::AnalysisInfoMixin<WaitingLoopsAnalysis> {
 public:
  using Result = WaitingLoops;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<WaitingLoopsAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
