// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Privatises histograms. In global memory, `atomic_inc(&counts[x])` costs a locked instruction for each count, and
/// threads compete for the cache lines. If a kernel only adds to one buffer and uses no result, each thread counts in
/// memory of its own instead, without locks: the range function clears it before a range of work-groups and adds it to
/// the buffer afterwards. Lanes are distributed among several copies. The buffer must be small and share no memory with
/// others (LaunchFacts::counters); other launches run the exact variant, which is cloned here.
///
/// Programs cannot observe the difference: counts become visible later than other work of the same work-items, but no
/// work-item reads them. Kernels stay as they are if they have other atomics or fences, which would tell others how far
/// the kernel is, or pointers from memory, through which a work-item could read the buffer.
/// Needs: functions inlined into kernels, values in registers, sub-groups marked.
struct PrivatiseCountersPass : llvm::PassInfoMixin<PrivatiseCountersPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
