// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Narrows 64-bit loop variables whose upper half is not needed to 32 bits. Compilers that optimise before they write
/// SPIR-V widen `int` loop variables, and extend the low half again in each iteration if it may wrap around. Passes
/// that look for `i += get_global_size(0)`, and for rows of work-items, then see the sums of the source again.
/// Needs: values in registers.
struct NarrowCountersPass : llvm::PassInfoMixin<NarrowCountersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
