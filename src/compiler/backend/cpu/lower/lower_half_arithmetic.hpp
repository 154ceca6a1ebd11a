// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Computes with half as with float, rounding after each operation, as CPUs do that can only load, store and convert
/// halves. LLVM's code generators do so too, but round twice in places (fused multiply-add, conversions from double) or
/// call functions, one for each lane of a vector. Must run when nothing else simplifies any more: to InstCombine, a
/// float sum of two halves that is rounded to half is a half sum. Not for processors that compute with halves.
/// Needs: nothing.  Gives: halves are only moved, and converted from and to float, which integers do where the CPU
/// cannot.
class LowerHalfArithmeticPass : public llvm::PassInfoMixin<LowerHalfArithmeticPass> {
 public:
  explicit LowerHalfArithmeticPass(bool hasConversions = true) : hasConversions_(hasConversions) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  bool hasConversions_;
};

} // namespace clotho::compiler
