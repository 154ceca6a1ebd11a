// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Aligns the iterations of loops in which kernels with more data than work-items stride through memory:
///   for (i = get_global_id(0); i < n; i += get_global_size(0))
/// If sub-groups ran the loop one after the other, each would read lines that are far apart, which defeats caches and
/// prefetchers. So while all work-items of a group have several iterations left, these run side by side: a copy of the
/// loop, uniform for the work-group, runs eight iterations between two barriers, without tests. The original loop
/// continues from there.
/// Only if all work-items reach the loop, and in kernels that have barriers anyway or require a large local size; other
/// kernels that would gain get KernelFacts::wantsLocalSize.
/// Needs: work-item functions lowered, loops not yet rotated.
struct AlignStridedLoopsPass : llvm::PassInfoMixin<AlignStridedLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
