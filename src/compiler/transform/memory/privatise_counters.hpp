// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// A histogram in global memory, `atomic_inc(&counts[x])`, costs a locked instruction for each count, and threads take
/// the lines of the counters from each other. A kernel that only adds to one buffer, and uses no result of that, counts
/// in memory of the thread's own instead (RangeFacts of the range function: cleared before a range of work-groups,
/// added up behind it), in several copies among which lanes are distributed, without locks. It assumes that the buffer
/// is small and apart from others (LaunchFacts::counters); other launches run the exact variant, which is made here.
///
/// Programs cannot tell the difference: what the kernel adds is seen later than other work of the same work-items, but
/// no work-item looks at it. Kernels stay as they are if they have other atomics or fences, which would tell others how
/// far the kernel is, or pointers from memory, by which a work-item could look at the buffer. Needs: functions inlined
/// into kernels, values in registers, sub-groups marked.
struct PrivatiseCountersPass : llvm::PassInfoMixin<PrivatiseCountersPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
