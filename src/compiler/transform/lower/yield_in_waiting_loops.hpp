// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Puts a yield into each loop that may wait for another work-item or the host (analysis/waiting_loops.hpp), so that
/// others can progress: the kernel's sub-groups then run in turn (transform/groups/work_group_function.hpp).
/// Needs: everything that may wait inlined, and values in registers.
struct YieldInWaitingLoopsPass : llvm::PassInfoMixin<YieldInWaitingLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
