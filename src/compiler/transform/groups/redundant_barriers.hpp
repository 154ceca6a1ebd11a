// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Removes the barriers in front of work-group functions that nothing depends on: those from whose variables no way
/// leads back to the barrier but through another one. So what comes before the function and its own part run as one,
/// and nothing has to be kept from the one to the other. At least one barrier stays.
/// Needs: calls inlined, waiting loops marked; there sub-groups stand in several places, and barriers keep their order.
struct RedundantBarriersPass : llvm::PassInfoMixin<RedundantBarriersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
