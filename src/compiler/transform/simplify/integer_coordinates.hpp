// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Kernels name texels by floats, often by those of integers: (float2)(x, y) + 0.5f. What is rounded down of an integer
/// and a constant, clamped, and converted to an integer again is computed with integers instead, so that it is known to
/// go on by one from work-item to work-item. The result is the same for all integers, also for those that no float is
/// exactly, since the clamp does not tell these apart. Needs: values in registers. Gives no new control flow.
struct IntegerCoordinatesPass : llvm::PassInfoMixin<IntegerCoordinatesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
