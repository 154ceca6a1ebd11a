// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes half operations as float operations and rounds after each, for CPUs that can only load, store and convert
/// halves. LLVM's code generators do so too, but round twice in some cases (fused multiply-add, conversions from
/// double) or call functions, one for each lane. Must run after all simplification: InstCombine turns a float sum of
/// two halves that is rounded to half into a half sum. Not for CPUs with half arithmetic.
/// Needs: nothing.  Gives: halves are only moved, and converted from and to float, by integer operations if the CPU has
/// no conversions.
class LowerHalfArithmeticPass : public llvm::PassInfoMixin<LowerHalfArithmeticPass> {
 public:
  explicit LowerHalfArithmeticPass(bool hasConversions = true) : hasConversions_(hasConversions) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  bool hasConversions_;
};

} // namespace clotho::compiler
