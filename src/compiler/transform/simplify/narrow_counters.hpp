// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Gives 32 bits to loop variables of 64 whose upper half no instruction needs. Compilers that optimise before they
/// write SPIR-V widen `int` variables of loops, and extend the lower half again in each round where these may wrap
/// around. Passes that look for `i += get_global_size(0)`, and for rows of work-items, see the sums of the source
/// again. Needs: values are in registers.
struct NarrowCountersPass : llvm::PassInfoMixin<NarrowCountersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
