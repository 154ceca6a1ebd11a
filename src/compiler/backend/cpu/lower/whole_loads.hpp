// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Turns masked loads that the processor lacks into a load of all lanes and a select, if a lane is active and the
/// vector lies within one page: the rest of the page is readable, too. Otherwise they load lane by lane. Runs after
/// passes that simplify masks.
class WholeLoadsPass : public llvm::PassInfoMixin<WholeLoadsPass> {
 public:
  explicit WholeLoadsPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
