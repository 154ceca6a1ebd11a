// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Runs passes that ask ScalarEvolution what holds where a loop is entered. For each answer it goes up from the loop,
/// from block to single predecessor, and looks at each branch on the way. In a kernel with hundreds of barriers that is
/// the loops of all regions before, for each of as many loops, and the answer is hardly ever far away. While these
/// passes run, each way up ends after some blocks: a detour, which is never taken, gives a block a second predecessor.
class WithNearGuards : public llvm::PassInfoMixin<WithNearGuards> {
 public:
  explicit WithNearGuards(llvm::FunctionPassManager passes) : passes_(std::move(passes)) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; } // each of its passes is asked about by itself

 private:
  llvm::FunctionPassManager passes_;
};

} // namespace clotho::compiler
