// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lets the lanes of a sub-group decide together whether they take the branch to a failed check (kFailedCheckPrefix):
/// all take it if the check has failed for one, and the code there looks at each lane's condition again. While no check
/// fails, lanes then do not diverge, and accesses need no masks.
/// Needs: checks of CheckKernelsPass.  Gives: uniform branches to failed checks, for the vectoriser.
struct VoteOnChecksPass : llvm::PassInfoMixin<VoteOnChecksPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
