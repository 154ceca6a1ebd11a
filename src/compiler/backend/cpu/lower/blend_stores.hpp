// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Masked stores to local memory (marked by the vectoriser, ir/marks.hpp) become a load of all lanes, a choice, and a
/// store of all lanes, where the processor does that faster: only the thread that runs the work-group sees what is
/// written back as it was. If no lane is live, the address may be any, so that memory of the function's own is written
/// instead. Runs after passes that make masks simple, and before those that forward what is stored.
class BlendStoresPass : public llvm::PassInfoMixin<BlendStoresPass> {
 public:
  explicit BlendStoresPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
