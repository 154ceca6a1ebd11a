// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// What a work-group that runs as a whole (transform/groups/whole_groups.hpp) writes to local memory and reads again as
/// it was written, a vector at a time, needs no memory: such arrays become variables, and these registers. An array of
/// which single elements are read stays, for it is there so that these lie together. Needs: sub-groups side by side, so
/// that places are known.  Gives: variables that SROA takes apart.
struct KeepTilesPass : llvm::PassInfoMixin<KeepTilesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Stores to the local arrays of such a work-group in halves of a register of 512 bits. Zen 4 passes what it has just
/// stored to smaller loads sooner then: a matrix product takes 4 to 8 % less time.
/// Needs: nothing comes behind that looks at memory.
struct HalveTileStoresPass : llvm::PassInfoMixin<HalveTileStoresPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
