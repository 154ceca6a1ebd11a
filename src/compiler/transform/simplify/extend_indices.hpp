// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Takes ids along which lanes lie out of indices of 32 bits that are but terms of addresses of 64 bits: each term is
/// extended for itself. Memory bounds no such index, but the id has bounds.
/// Needs: values in registers, ids as intrinsics. Leaves control flow as it is.
struct ExtendIndicesPass : llvm::PassInfoMixin<ExtendIndicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
