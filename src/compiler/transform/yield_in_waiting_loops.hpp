// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// On kernels whose sub-groups need not make progress while another waits (-cl-no-subgroup-ifp).
inline constexpr const char* kNoForwardProgressAttribute = "clotho-no-forward-progress";

/// Puts a yield into each loop that may wait for what another work-item or the host does (analysis/waiting_loops.hpp),
/// so that the other gets to run: then the kernel's sub-groups run in turn (transform/work_group_function.hpp).
/// Needs: everything that may wait inlined, and values in registers.
struct YieldInWaitingLoopsPass : llvm::PassInfoMixin<YieldInWaitingLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
