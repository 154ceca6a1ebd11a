// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Outlines divisions of 64-bit integer vectors, for which processors have no instruction, if a function has many: one
/// function for each operation and type. Code generation expands each such division element by element, and would take
/// seconds for a hundred of long4.
/// Needs: divisions that cannot trap.
struct CallDivisionsPass : llvm::PassInfoMixin<CallDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
