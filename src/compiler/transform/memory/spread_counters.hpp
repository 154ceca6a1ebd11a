// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Histograms in local memory, `atomic_inc(&bins[x])` in a loop, wait for themselves: a CPU adds to a bin that it has
/// just stored to only once that store is on its way, and must find out each time whether it is the same bin. So small
/// local arrays get several copies, among which lanes are distributed: the copies are cleared where the work-group
/// waits before it counts, and added up where it waits before it looks at the counts. Only where the counts are
/// integers, nothing uses what an addition found, and nothing else touches the array until the work-group has waited.
/// Needs: work-item functions lowered, sub-groups marked.
struct SpreadCountersPass : llvm::PassInfoMixin<SpreadCountersPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
