// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Hoists instructions above a barrier if they are the last uses of their operands and fewer bytes are then live across
/// it: `take ? theirs : mine` is one value, its operands are three.
/// Needs: work-item functions lowered.  Gives: nothing that other passes rely on.
struct HoistAboveBarriersPass : llvm::PassInfoMixin<HoistAboveBarriersPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
