// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Interchanges a loop that streams through memory with the loop over sub-groups:
///   for (i = 0; i < count; ++i) sum += in[start + i * get_local_size(0) + get_local_id(0)];
/// If sub-groups ran the loop one after the other, each would read every n-th line of the memory, for n sub-groups.
/// With a barrier in each iteration, all sub-groups read their line, then all their next one, so that lines are read in
/// order. Loop-carried values are stored in the context array meanwhile, which costs less than memory but more than
/// caches. If the program unrolled the loop, a barrier follows each access of the iteration, and iterations that only
/// load are sorted by address.
/// Only in kernels that have barriers or sub-groups anyway (others are run together with their neighbours), in uniform
/// loops that the work-group reaches once, and if all varying accesses to global memory stream like this.
/// Needs: work-item functions lowered, values in registers, kernels with sub-groups marked.
struct InterchangeStreamingLoopsPass : llvm::PassInfoMixin<InterchangeStreamingLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
