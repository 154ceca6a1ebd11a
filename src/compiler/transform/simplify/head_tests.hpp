// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Undoes loop rotation: `if (test) do body; while (test)`, which compilers make before they write SPIR-V, becomes
/// `while (test) body`. Passes that look for strided loops expect the test in the header, and all work-items to reach
/// the loop. Later passes rotate loops again.
/// Needs: values in registers.
struct HeadTestsPass : llvm::PassInfoMixin<HeadTestsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
