// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Divisions of vectors of 64-bit integers, which processors do not have, become calls in functions of many: one
/// function for each operation and type divides. Code generation writes out each such division element by element,
/// and would take seconds for a hundred of long4. Needs divisions that cannot trap.
struct CallDivisionsPass : llvm::PassInfoMixin<CallDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
