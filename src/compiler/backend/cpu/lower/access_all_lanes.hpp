// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Takes the masks off gathers and scatters for which the processor has no instruction. LLVM writes such an access out
/// as a branch, a test and an access for each lane, which takes many times as long to compile, and where most lanes are
/// live as long again to run. Without a mask the accesses of the lanes follow each other; those of lanes that are not
/// live are to an element of the stack, or to the beginning of the table that is read.
/// After all passes that simplify: they would look at what the stack's element holds.
struct AccessAllLanesPass : llvm::PassInfoMixin<AccessAllLanesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
