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

/// Whether a loop of the kernel may wait for what another work-item does: a branch in a loop depends on an atomic or
/// volatile read of memory that the kernel also writes elsewhere, as with a lock. The lanes of a sub-group leave such a
/// loop only together, so the one that holds the lock would wait for those that want it. Not if every loop ends in any
/// case, by what it does not change: then atomics there only count or mark something. `assumesApart`: arguments must
/// share no memory for that, which is not assumed unless `mayAssumeApart`.
bool waitsForOthers(const llvm::Function& kernel, const llvm::LoopInfo& loops, bool mayAssumeApart, bool& assumesApart);

/// The loops whose end depends on an atomic or volatile read of memory that others can write: a work-item may go round
/// there until another one, or the host, writes. Not those that try an exchange again because another one has succeeded
/// in the meantime. `mayAssumeApart`: that arguments share no memory.
llvm::SmallVector<llvm::Loop*, 2> loopsThatWait(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                                                bool mayAssumeApart);

/// Loops with such a read that need no other work-item for their end all the same (analysis/exchange_loops.hpp).
llvm::SmallVector<llvm::Loop*, 2> loopsThatEndAlone(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                                                    bool mayAssumeApart);

/// Whether the instruction may be such a read, in the loop that it is in or comes into by inlining.
bool mayReadForOthers(const llvm::Instruction& instruction);

/// What loopsThatWait finds in a function.
struct WaitingLoops {
  llvm::SmallVector<llvm::Loop*, 2> loops;

  /// As LLVM asks: the loops are another analysis's.
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
