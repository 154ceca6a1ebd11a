// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Masked stores that are left (to global memory, into which nothing may be written back) ask whether all lanes are
/// live, and are plain stores then, where the processor's masked stores are slow: most sub-groups of a kernel lie
/// within its bounds as a whole. After passes that want a loop's round in one block.
class WholeStoresPass : public llvm::PassInfoMixin<WholeStoresPass> {
 public:
  explicit WholeStoresPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
