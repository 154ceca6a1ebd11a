// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Local arrays all of whose places are known once the loops over sub-groups are written out become registers: what
/// work-items read of each other is a shuffle of vectors, what they write a choice of lanes. Steps of scans and of
/// sorting networks are of that kind, whatever they compute their indices by.
/// Needs: a local size that is known; loops over work-items around barriers unrolled.  Gives: no loops over these.
class PromoteLocalArraysPass : public llvm::PassInfoMixin<PromoteLocalArraysPass> {
 public:
  explicit PromoteLocalArraysPass(const ProcessorModel& cpu) : registerBytes_(cpu.vectorBits / 8) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  unsigned registerBytes_;
};

} // namespace clotho::compiler
