// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Writes each global id as the sum of the group's base and the local id, and before that marks the kernels for which
/// the cut into work-groups along dimension 0 makes no difference: they ask for global ids only, have no barrier and
/// no local memory.
/// Needs: work-item functions lowered, inlined into kernels.  Gives: no intrinsic GlobalId.
struct ExpandGlobalIdsPass : llvm::PassInfoMixin<ExpandGlobalIdsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
