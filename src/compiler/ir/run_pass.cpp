// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/run_pass.hpp"

namespace clotho::compiler {

bool Step::begin(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) const {
  return analyses.getResult<llvm::PassInstrumentationAnalysis>(function).runBeforePass(*this, function);
}

void Step::end(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, bool changed) const {
  analyses.getResult<llvm::PassInstrumentationAnalysis>(function).runAfterPass(
      *this, function, changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all());
}

} // namespace clotho::compiler
