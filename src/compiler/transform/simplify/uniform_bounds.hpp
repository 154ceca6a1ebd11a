// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes the exit conditions of loops uniform if all work-items run as many iterations, each over a range of its own:
///   for (int k = i * n; k < (i + 1) * n; ++k)    exits when    k - i * n < n    is false.
/// The left side of that becomes a new counter, which starts at 0. The difference of counter and bound is a polynomial
/// in which the ids cancel. The computation of the bound must not wrap around: C excludes that for signed integers and
/// for pointers into one object. A bound that is the lesser of two, min(begin + n, all), has the distance
/// min(n, all - begin); VoteOnBoundsPass asks whether all lanes have n.
/// Needs: values in registers, functions inlined.  Gives: the same control flow.
struct UniformBoundsPass : llvm::PassInfoMixin<UniformBoundsPass> {
  /// `isLast`: InstCombine does not run between this and VoteOnBoundsPass. Then bounds of numbers that may wrap around
  /// are changed, too; InstCombine would hide what tells that counters do not.
  explicit UniformBoundsPass(bool isLast = true) : isLast_(isLast) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  bool isLast_;
};

} // namespace clotho::compiler
