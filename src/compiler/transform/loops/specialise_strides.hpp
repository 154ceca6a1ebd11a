// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Exchanges between work-items, as in sorting networks and transforms, index local memory by `lid & (stride - 1)` with
/// a stride that all share. For small strides, which vectors have within them, the code that does so is copied with the
/// stride as a constant: then the pattern of the lanes is known (analysis/lane_pattern.hpp). Large ones need no
/// pattern, since lanes are in a row.
struct SpecialiseStridesPass : llvm::PassInfoMixin<SpecialiseStridesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
