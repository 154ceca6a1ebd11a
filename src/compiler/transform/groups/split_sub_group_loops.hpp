// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>

namespace llvm {
class Instruction;
class Loop;
} // namespace llvm

namespace clotho::compiler {

/// Steps of scans and reductions are for the work-items from a constant on (`lid >= 4`), or up to one. Divides the loop
/// over sub-groups there, so that all but one sub-group, or all, run without asking which of their lanes are meant.
/// Needs: bottom-tested loops marked as above, in which the mask is a comparison of vectors.
struct SplitSubGroupLoopsPass : llvm::PassInfoMixin<SplitSubGroupLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
