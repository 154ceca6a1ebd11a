// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Removes barriers between reading `local[lid - k]` and writing `local[lid]`, as prefix sums have them in each step:
/// if work-items run from the last to the first, none of them reads what another has already written. (Barriers between
/// writing and reading further down could go with the natural order, but then loads would catch up with stores that the
/// CPU has not finished.) Needs: work-item functions lowered, loops around barriers unrolled as far as they will be.
struct FuseRegionsPass : llvm::PassInfoMixin<FuseRegionsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
