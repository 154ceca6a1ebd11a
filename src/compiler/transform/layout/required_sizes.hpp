// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes the local size of a kernel that requires one a constant, so that loops which go by it have a known number of
/// rounds, and local ids known to be below it. Needs: work-groups of other sizes run another kernel
/// (RemainderKernelsPass).
struct RequiredSizesPass : llvm::PassInfoMixin<RequiredSizesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Names global ids: where no launch has an offset (kNoOffsetName), `group_id * size + local_id` with the required size
/// becomes the global id, about which passes know more. A kernel that can then tell nothing of its work-groups requires
/// no size any more. Before remainder kernels are made, for which it must not.
struct NameGlobalIdsPass : llvm::PassInfoMixin<NameGlobalIdsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
