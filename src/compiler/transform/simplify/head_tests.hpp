// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes `while (test) body` of `if (test) do body; while (test)`, which is what compilers make of loops before they
/// write SPIR-V (loop rotation). Passes that look for strided loops want all work-items to come to a loop, and the test
/// at its head. Later passes rotate loops again.
/// Needs: values are in registers.
struct HeadTestsPass : llvm::PassInfoMixin<HeadTestsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
