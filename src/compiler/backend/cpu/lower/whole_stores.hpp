// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes the remaining masked stores (to global memory, where inactive lanes may not be rewritten) test whether all
/// lanes are active, and store plainly then. For processors with slow masked stores: most sub-groups of a kernel are
/// within its bounds as a whole. Runs after passes that want a loop's iteration in one block.
class WholeStoresPass : public llvm::PassInfoMixin<WholeStoresPass> {
 public:
  explicit WholeStoresPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
