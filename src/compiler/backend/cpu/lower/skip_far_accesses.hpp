// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Puts masked loads and stores whose address may be far from any memory (kFarName) behind a test of their mask. x86
/// processors take some hundred cycles to find that an access without active lanes to an unmapped page need not fault,
/// and a cycle or two for the test; masked stores of AVX2 are not slower there. Loops that are short compared with
/// their tests stay as they are.
/// Runs after all passes that want loops of one block.
class SkipFarAccessesPass : public llvm::PassInfoMixin<SkipFarAccessesPass> {
 public:
  explicit SkipFarAccessesPass(const ProcessorModel& cpu) : areStoresSlow_(cpu.hasMaskRegisters) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  bool areStoresSlow_;
};

} // namespace clotho::compiler
