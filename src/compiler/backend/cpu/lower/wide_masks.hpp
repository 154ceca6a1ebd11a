// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Represents masks as vectors of integers on processors without mask registers: vectors of i1 that are live across
/// blocks, and those computed from them. Elements have the width that is cheapest to compute, combine and use; all bits
/// of an element are equal. Between blocks, LLVM's code generation keeps masks in the narrowest register that fits, and
/// so would pack and unpack the masks of divergent loops in each iteration. Runs last, since other passes would undo
/// it.
class WideMasksPass : public llvm::PassInfoMixin<WideMasksPass> {
 public:
  explicit WideMasksPass(const ProcessorModel& cpu) : cpu_(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  ProcessorModel cpu_;
};

} // namespace clotho::compiler
