// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Steps of reductions are for work-items up to a number that is known when they run (`if (lid < half)`), or for one
/// (`if (lid == 0)`). Ends the loop over sub-groups behind the last that has one of these. Or they are for those with
/// one rest (`if (lid % n == r)`): a loop over work-items alone goes from one of these to the next.
///
/// Needs: bottom-tested loops marked as in split_sub_group_loops.hpp, whose counter goes up, and in which all that has
/// an effect is under such a comparison: in a branch, or in a mask.
struct EndSubGroupLoopsPass : llvm::PassInfoMixin<EndSubGroupLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
