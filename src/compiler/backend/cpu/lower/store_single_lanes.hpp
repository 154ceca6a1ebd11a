// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Turns a masked store whose mask lets only one known lane pass into a plain store of the lane. If the stored value is
/// truncated, LLVM 22 would store the wide lane (docs/llvm.md). Runs after all simplification.
struct StoreSingleLanesPass : llvm::PassInfoMixin<StoreSingleLanesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
