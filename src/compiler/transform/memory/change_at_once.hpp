// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces compare-exchange loops that compute a sum, a maximum and the like by one atomic operation, which is what
/// the loop does if its first exchange succeeds. Floating-point sums that may be reassociated are marked with
/// kAnyOrderName.
/// Needs: values in registers.
struct ChangeAtOncePass : llvm::PassInfoMixin<ChangeAtOncePass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
