// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Keeps masked loads where they are when LLVM 22's InstCombine runs. InstCombine makes `select(m, load(p, m), x)` one
/// masked load in the place of the select, behind whatever stores stand between (docs/llvm.md). A load whose result is
/// frozen is not looked through, so each one gets a freeze, marked with kHeldName.
///
/// Before that, this pass merges such selects into their loads itself where memory and `x` allow it. It takes a mark's
/// freeze away where the load needs none any more, since the freeze of an ordinary load is an instruction of its own.
///
/// Comes directly before each run of InstCombine.
struct HoldMaskedLoadsPass : llvm::PassInfoMixin<HoldMaskedLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Takes the marked freezes away after the last InstCombine: instruction selection keeps loads in the order of memory
/// by itself, and does not end with a frozen load of every second byte in LLVM 22.
struct ReleaseMaskedLoadsPass : llvm::PassInfoMixin<ReleaseMaskedLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
