// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Indices that are computed in 32 bits without overflow and extended at the end are computed in 64 bits instead, where
/// all they are made of are ids, arguments and loop counters, of which there has to be one. Loop invariant code motion
/// takes sums apart and forgets that they do not overflow, and then each sub-group computes all of each of its
/// addresses in each round: in kernels with barriers, whose loops go around loops over sub-groups, that is much of what
/// a round does. Only in such kernels, in all loops.
/// In all kernels, ids along which lanes lie are taken out of indices that are but terms of addresses of 64 bits.
/// Needs: values in registers, loops not yet changed, ids and barriers as intrinsics. Leaves control flow as it is.
struct ExtendIndicesPass : llvm::PassInfoMixin<ExtendIndicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
