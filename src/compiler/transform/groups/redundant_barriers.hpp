// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Removes redundant barriers before work-group functions: those for which every path from the accesses to the guarded
/// variables back to the barrier passes another barrier. The code before the function and its first part then run as
/// one region, and no values are stored between them. At least one barrier stays.
/// Needs: calls inlined, waiting loops marked, since sub-groups may be at different points there and barriers keep
/// their order.
struct RedundantBarriersPass : llvm::PassInfoMixin<RedundantBarriersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
