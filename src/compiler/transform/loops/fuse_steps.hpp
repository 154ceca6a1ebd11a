// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>

namespace clotho::compiler {

/// A prefix sum takes steps like `local[lid] += lid >= k ? local[lid - k] : 0` with a barrier between them, each of
/// which is a loop over sub-groups that loads two rows and stores one, or reads one row and writes another, in turn.
/// Makes one loop of several such steps, from the first sub-group to the last: a row goes through all of them in
/// registers, and what a step has read of the rows before it, it keeps in registers too. A loop before them that fills
/// the row becomes part of it.
/// Needs: loops over sub-groups as SplitSubGroupLoopsPass does, those of steps in place descending (FuseRegionsPass);
/// values in registers.
class FuseStepsPass : public llvm::PassInfoMixin<FuseStepsPass> {
 public:
  /// `rows`: how many a loop may keep; else as many as fit into half of the target's registers.
  explicit FuseStepsPass(std::optional<unsigned> rows = std::nullopt) : rows_(rows) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  std::optional<unsigned> rows_;
};

} // namespace clotho::compiler
