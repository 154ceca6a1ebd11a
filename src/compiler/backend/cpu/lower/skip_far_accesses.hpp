// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Puts masked loads and stores that may be far from any memory (kFarName) behind a test of their mask. Processors of
/// x86 take some hundred cycles to find that an access without live lanes need not fault where no page is mapped, and a
/// cycle or two for the test; stores of AVX2 alone take no longer there than elsewhere. Loops that are short beside
/// their tests stay as they are.
/// After all passes that want loops of one block.
class SkipFarAccessesPass : public llvm::PassInfoMixin<SkipFarAccessesPass> {
 public:
  explicit SkipFarAccessesPass(const ProcessorModel& cpu) : areStoresSlow_(cpu.hasMaskRegisters) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  bool areStoresSlow_;
};

} // namespace clotho::compiler
