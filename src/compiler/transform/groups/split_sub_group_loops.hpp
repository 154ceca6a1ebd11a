// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>

namespace llvm {
class Instruction;
class Loop;
} // namespace llvm

namespace clotho::compiler {

/// Splits loops over sub-groups at the constant of a condition on the local id (`lid >= 4`), as in the steps of scans
/// and reductions (index-set splitting). All sub-groups but one, or all, then run without a mask.
/// Needs: bottom-tested loops marked as above, in which the mask is a comparison of vectors.
struct SplitSubGroupLoopsPass : llvm::PassInfoMixin<SplitSubGroupLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
