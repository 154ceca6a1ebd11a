// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Takes constants out of sums that are indices of scalar addresses: they become offsets of instructions. Addresses
/// that differ by constants then share one sum. Otherwise each would have a sum of its own, whose invariant part leaves
/// the loop and takes a register. A constant in a sum that is extended is taken out only if no step of the sum wraps
/// around. LLVM's pass of this kind is wrong in several ways (docs/llvm.md). Gives: equal sums, which a later pass has
/// to merge.
struct ConstantOffsetsPass : llvm::PassInfoMixin<ConstantOffsetsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
