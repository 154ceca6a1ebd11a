// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes masks vectors of integers on processors without registers for masks: vectors of i1 that live longer than a
/// block, and what is computed from them. Their elements have the width that costs least to make, combine and use, and
/// all bits of an element are one truth. LLVM's code generation takes the narrowest register in which the lanes have
/// room, between blocks, and so would pack and unpack the masks of divergent loops in each round. Runs last, since
/// other passes would turn it back.
class WideMasksPass : public llvm::PassInfoMixin<WideMasksPass> {
 public:
  explicit WideMasksPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
