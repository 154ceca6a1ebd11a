// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Where processors have no registers for masks, vectors of i1 that live longer than a block, and what is computed from
/// them, become vectors of integers of the width that costs least to make, combine and use, all bits of an element
/// being one truth. LLVM's code generation takes the narrowest register in which the lanes have room, between blocks,
/// and so would pack and unpack the masks of divergent loops in each round. Last, since other passes would turn it
/// back.
class WideMasksPass : public llvm::PassInfoMixin<WideMasksPass> {
 public:
  explicit WideMasksPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
