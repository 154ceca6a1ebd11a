// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Work-groups often sweep over memory that lies together,
///   for (i = 0; i < rounds; ++i) sum += in[start + i * get_local_size(0) + get_local_id(0)];
/// One sub-group after the other would take every n-th line of it, as often as there are sub-groups. A barrier in each
/// round interchanges the loops: all sub-groups take their line, then all their next, so that lines come in order.
/// What goes round is kept in the frame meanwhile, which costs less than memory does, but more than caches.
/// Where the program wrote several rounds out, so that they share one test, there is a barrier after each part, and
/// parts that only load come in the order of memory.
/// Only in kernels that have barriers or sub-groups anyway (others are run together with their neighbours), in loops
/// that the work-group agrees on and comes to once, and where all that sub-groups have of their own in global memory is
/// such a sweep.
/// Needs: work-item functions lowered, values in registers, kernels with sub-groups marked.
struct InterchangeSweepsPass : llvm::PassInfoMixin<InterchangeSweepsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
