// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Gives loops with several entries one, as the vectoriser wants it. NVIDIA's assembler wants it, too: it lets the
/// work-items of a warp leave such a loop apart from each other and counts the iterations of a loop around it once for
/// all of them, so they are counted wrongly (docs/llvm.md).
struct ReducibleFlowPass : llvm::PassInfoMixin<ReducibleFlowPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
