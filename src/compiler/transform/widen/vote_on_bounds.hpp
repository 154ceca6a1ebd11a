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

} // namespace clotho::compiler
