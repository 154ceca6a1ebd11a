// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Ends a block after each barrier, so that regions of a kernel consist of whole blocks, and gives each way out of a
/// branch a block of its own, so that a region can begin there.
/// Needs: work-item functions lowered.  Gives, in functions with barriers: a barrier is the last instruction before an
/// unconditional branch, and that branch's target, as both targets of conditional ones, has no other predecessor,
/// and no phi has one way only.
struct IsolateBarriersPass : llvm::PassInfoMixin<IsolateBarriersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
