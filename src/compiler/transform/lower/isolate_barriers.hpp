// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Splits blocks after each barrier, so that regions of a kernel consist of whole blocks, and splits the edges of
/// conditional branches, so that a region can begin at each target.
/// Needs: work-item functions lowered.  Gives: in functions with barriers, a barrier is the last instruction before an
/// unconditional branch. The branch's target, like both targets of conditional branches, has no other predecessor, and
/// no phi has a single incoming value.
struct IsolateBarriersPass : llvm::PassInfoMixin<IsolateBarriersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
