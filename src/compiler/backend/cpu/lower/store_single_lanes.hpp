// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes a plain store of a lane from a masked store whose mask is known to let that lane alone pass. Where such a
/// value is narrowed, LLVM 22 stores the wide lane (docs/llvm.md). After all passes that simplify.
struct StoreSingleLanesPass : llvm::PassInfoMixin<StoreSingleLanesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
