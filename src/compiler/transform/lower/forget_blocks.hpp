// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Where nothing is called through a pointer, the addresses of functions that literals of blocks still hold become
/// null, so that the functions go away: they may ask where their work-item stands, which only kernels can be told.
/// Needs: that blocks which are called are inlined. Gives: no use of such a function but calls.
struct ForgetBlocksPass : llvm::PassInfoMixin<ForgetBlocksPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
