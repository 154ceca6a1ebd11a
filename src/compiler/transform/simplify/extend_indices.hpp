// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Splits ids of the lane dimension off 32-bit indices that are terms of 64-bit addresses: each term is extended by
/// itself. Memory does not bound such an index, but the id is bounded.
/// Needs: values in registers, ids as intrinsics. Leaves control flow as it is.
struct ExtendIndicesPass : llvm::PassInfoMixin<ExtendIndicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
