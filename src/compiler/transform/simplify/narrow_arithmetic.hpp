// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes in 16 bits what certainly fits, so that vectors have twice as many lanes. C computes bytes and shorts in 32
/// bits, and image kernels sum them as floats.
/// - Sums and products of floats that are small integers, converted from integers, become integer sums and products
///   (the same result, since both are exact), converted once.
/// - 32-bit operations on extended bytes and shorts whose results fit into 16 bits, signed or unsigned, are done in 16,
///   if that saves more than the extensions and truncations at the borders cost.
/// Needs: values in registers, short loops unrolled (loop phis are not narrowed).  Gives: no new control flow.
struct NarrowArithmeticPass : llvm::PassInfoMixin<NarrowArithmeticPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
