// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes 32-bit indices in 64 bits, if they do not overflow, are extended at the end, and consist of ids, arguments
/// and loop counters, with at least one counter. Otherwise LICM reassociates the sums and drops their nsw flags, and
/// each sub-group computes its addresses completely in each iteration. In kernels with barriers, whose loops contain
/// loops over sub-groups, that is much of an iteration. Only in such kernels, in all loops.
/// In all kernels, ids of the lane dimension are split off indices that are terms of 64-bit addresses.
/// Needs: values in registers, loops not yet changed, ids and barriers as intrinsics. Leaves control flow as it is.
struct ExtendIndicesPass : llvm::PassInfoMixin<ExtendIndicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
