// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Sets the addresses of functions that literals of blocks still hold to null, if nothing is called through a pointer.
/// The functions go away then: they may ask where their work-item stands, which only kernels can be told.
/// Needs: that blocks which are called are inlined. Gives: no use of such a function but calls.
struct ForgetBlocksPass : llvm::PassInfoMixin<ForgetBlocksPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
