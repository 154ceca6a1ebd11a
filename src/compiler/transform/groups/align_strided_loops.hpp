// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Kernels with more data than work-items go through it in a loop
///   for (i = get_global_id(0); i < n; i += get_global_size(0))
/// One sub-group after the other would touch a line here and a line far away, which no cache and no prefetcher likes.
/// So while there are several rounds for all work-items of a group, these go side by side: a copy of the loop that the
/// whole work-group agrees on runs eight rounds between two barriers, without tests. The loop itself goes on from
/// there. Only where all work-items come to the loop, and in kernels that have barriers anyway or require a local size
/// of some length; of others that gain by it KernelFacts::wantsLocalSize says so. Needs: work-item functions lowered,
/// loops not yet rotated.
struct AlignStridedLoopsPass : llvm::PassInfoMixin<AlignStridedLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
