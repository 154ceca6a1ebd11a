// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes texel coordinates in integers. Kernels often pass coordinates as floats that were integers: (float2)(x, y)
/// + 0.5f. An integer plus a constant that is rounded down, clamped and converted back is computed in integers, so that
/// it is known to grow by one from work-item to work-item. The result is the same for all integers, also for those that
/// a float cannot represent, since the clamp does not distinguish them.
/// Needs: values in registers.  Gives: no new control flow.
struct IntegerCoordinatesPass : llvm::PassInfoMixin<IntegerCoordinatesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
