// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Turns masked stores to local memory (marked by the vectoriser, ir/marks.hpp) into a load of all lanes, a select and
/// a store of all lanes, if that is faster on the processor. Only the thread that runs the work-group can see the
/// unchanged lanes being rewritten. Without an active lane the address may be invalid, so a dummy variable is written
/// instead. Runs after passes that simplify masks and before those that forward stores.
class BlendStoresPass : public llvm::PassInfoMixin<BlendStoresPass> {
 public:
  explicit BlendStoresPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
