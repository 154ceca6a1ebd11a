// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Copies loops that end at the lesser of two bounds, one of which is the same for all lanes: the copy is for
/// sub-groups in which all lanes have that one, and ends at once for them.
///   end = min(n, rest)       while (d < end) ...
/// becomes, with `agree` for a vote of the lanes:
///   if (agree(n <= rest)) while (d < n) ...    else while (d < end) ...
/// Needs: UniformBoundsPass, which makes such bounds of parts that end early at the end of the data.  Gives: loops
/// without masks, where all lanes have a whole part.
struct VoteOnBoundsPass : llvm::PassInfoMixin<VoteOnBoundsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Copies innermost loops whose divergent branches compare a counter with a limit, for sub-groups in which all lanes
/// are within it in the first and in the last iteration, and so in all:
///   for (j = 0; j < n; ++j) if (begin + j < all) ...
/// becomes, with `agree` for a vote of the lanes:
///   if (agree(begin < all && begin + n - 1 < all)) for (...) ...    else for (...) if (begin + j < all) ...
/// Needs: loops with their test at the end.  Gives: loops without masks, away from the limits.
struct VoteOnGuardsPass : llvm::PassInfoMixin<VoteOnGuardsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
