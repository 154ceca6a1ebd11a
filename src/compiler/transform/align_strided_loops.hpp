// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Kernels with more data than work-items go through it in a loop
///   for (i = get_global_id(0); i < n; i += get_global_size(0))
/// One sub-group after the other would touch a line here and a line far away, which no cache and no prefetcher likes.
/// So the rounds of all work-items of a group go side by side: the loop becomes one that the whole work-group agrees
/// on, with a barrier in each round and a test around the body. While there are several rounds for all work-items, a
/// copy of the loop runs four of them between two barriers, without tests. Only in kernels that have barriers anyway,
/// and where all work-items come to the loop once.
/// Needs: work-item functions lowered, loops not yet rotated.
struct AlignStridedLoopsPass : llvm::PassInfoMixin<AlignStridedLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
