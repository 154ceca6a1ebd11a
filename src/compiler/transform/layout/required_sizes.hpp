// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces the local size by the constant that the kernel requires, so that loops with it as a bound have known trip
/// counts, and local ids have known ranges.
/// Needs: work-groups of other sizes run another kernel (RemainderKernelsPass).
struct RequiredSizesPass : llvm::PassInfoMixin<RequiredSizesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Recognises global ids: if no launch has an offset (kNoOffsetName), `group_id * size + local_id` with the required
/// size becomes the intrinsic, about which passes know more. A kernel that then no longer depends on its groups loses
/// its required size. Must run before remainder kernels are made.
struct NameGlobalIdsPass : llvm::PassInfoMixin<NameGlobalIdsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
