// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes the ends of loops uniform that run as often in all work-items, each over numbers or memory of its own:
///   for (int k = i * n; k < (i + 1) * n; ++k)    ends when    k - i * n < n    is false, and counts so from 0.
/// The difference of counter and bound is a polynomial in which the ids cancel. No step of the bound's computation may
/// wrap, which C says of signed numbers and of pointers into one object.
/// Needs: values in registers, functions inlined.
struct UniformBoundsPass : llvm::PassInfoMixin<UniformBoundsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
