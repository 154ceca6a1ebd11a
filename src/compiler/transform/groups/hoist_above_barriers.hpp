// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// What is computed behind a barrier of values that nothing else behind it needs is computed before the barrier, where
/// fewer bytes have to be kept across it then: `take ? theirs : mine` is one value, its operands are three.
/// Needs: work-item functions lowered.  Gives: nothing that others count on.
struct HoistAboveBarriersPass : llvm::PassInfoMixin<HoistAboveBarriersPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
