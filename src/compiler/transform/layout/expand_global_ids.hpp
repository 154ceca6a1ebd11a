// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Expands each global id to the group's base plus the local id. Before that, marks the kernels whose results do not
/// depend on the division into work-groups along dimension 0: they use only global ids, and have no barrier and no
/// local memory.
/// Needs: work-item functions lowered, inlined into kernels.  Gives: no intrinsic GlobalId.
struct ExpandGlobalIdsPass : llvm::PassInfoMixin<ExpandGlobalIdsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
