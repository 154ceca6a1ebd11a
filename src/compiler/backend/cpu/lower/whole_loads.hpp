// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Masked loads of elements for which the processor has none load all lanes and choose, where some lane is live and the
/// vector lies within one page: what is there may be read without any effect. Elsewhere they load lane by lane. Runs
/// after passes that make masks simple.
class WholeLoadsPass : public llvm::PassInfoMixin<WholeLoadsPass> {
 public:
  explicit WholeLoadsPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
