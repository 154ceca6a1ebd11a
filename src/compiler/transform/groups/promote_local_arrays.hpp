// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Promotes local arrays to registers if all their addresses are constant once the loops over sub-groups are unrolled.
/// Loads of other work-items' elements become shuffles, stores become selects. Applies to the steps of scans and
/// sorting networks in any formulation.
/// Needs: a known local size; loops over work-items around barriers.  Gives: those loops unrolled.
class PromoteLocalArraysPass : public llvm::PassInfoMixin<PromoteLocalArraysPass> {
 public:
  explicit PromoteLocalArraysPass(const ProcessorModel& cpu) : registerBytes_(cpu.vectorBits / 8) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  unsigned registerBytes_;
};

} // namespace clotho::compiler
