// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Keeps LLVM 22's InstCombine from moving masked loads. InstCombine replaces `select(m, load(p, m), x)` by one masked
/// load at the select, after any stores in between (docs/llvm.md). It does not look through a freeze, so each masked
/// load gets one, marked with kHeldName.
///
/// Before that, this pass itself merges such selects into their loads if memory and `x` allow it. It removes marked
/// freezes whose load has become an ordinary one, since those would be instructions of their own.
///
/// Runs directly before each InstCombine.
struct HoldMaskedLoadsPass : llvm::PassInfoMixin<HoldMaskedLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Removes the marked freezes after the last InstCombine: instruction selection keeps loads in memory order itself, and
/// in LLVM 22 does not terminate on a frozen load of every second byte.
struct ReleaseMaskedLoadsPass : llvm::PassInfoMixin<ReleaseMaskedLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
