// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Gives variables whose initial values LLVM 22 writes wrongly to PTX other types with the same bytes (docs/llvm.md):
/// half and bfloat variables become integers, and vectors that are longer in memory than their elements, those of three
/// elements, become arrays with the missing ones. Null pointers of another space, which it refuses, become plain ones.
struct SpellOutConstantsPass : llvm::PassInfoMixin<SpellOutConstantsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
