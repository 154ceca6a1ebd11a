// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// C computes with bytes and shorts in 32 bits, and kernels for pictures sum them as floats. Lanes are as wide as the
/// widest type, so what surely fits into 16 bits is computed in 16, twice as many at once:
///   - sums and products of floats that are small integers, converted from integers, become sums and products of
///     integers (the same result, for they are exact either way), converted once;
///   - 32-bit operations on extended bytes and shorts whose results fit 16 bits, signed or unsigned, are done in 16,
///     where that saves more than the extensions and truncations at its borders cost.
/// Needs: values in registers, short loops unrolled (values around loops are not looked at). Gives no new control flow.
struct NarrowArithmeticPass : llvm::PassInfoMixin<NarrowArithmeticPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
