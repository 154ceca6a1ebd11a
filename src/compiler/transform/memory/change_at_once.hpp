// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces loops that exchange what they found for its sum with something, or its maximum and the like, with one
/// atomic operation: it does what such a loop does whose first exchange succeeds. Sums of reals that may be
/// reassociated are marked with kAnyOrderName. Needs: values in registers.
struct ChangeAtOncePass : llvm::PassInfoMixin<ChangeAtOncePass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
