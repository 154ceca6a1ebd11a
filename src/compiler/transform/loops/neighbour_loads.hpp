// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Stencils load rows of memory that lie an element or two beside each other. A register of 64 bytes is a line of the
/// cache, so of these loads all but one are of two lines each, and take twice as long. Loads the middle one, and makes
/// the others of it and of the few bytes that it lacks, by a rotation: as many instructions, on ports that are free.
/// No byte is loaded that was not before.
/// Needs: functions as they will be emitted, for registers of 512 bits.
struct NeighbourLoadsPass : llvm::PassInfoMixin<NeighbourLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
