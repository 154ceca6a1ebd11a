// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Addresses that depend on the local id are made of what it is equal to where a branch says which work-item of its row
/// runs (`if (get_local_id(0) == 0)`). They are the same for all lanes then: one access is left of a gather or a
/// scatter. Needs: work-item functions lowered.  Gives: nothing that others count on.
struct PropagateLocalIdPass : llvm::PassInfoMixin<PropagateLocalIdPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
