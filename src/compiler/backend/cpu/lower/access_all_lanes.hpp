// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Masked accesses for which the processor has no instruction. LLVM writes each out as a branch, a test and an access
/// for each lane, which takes long to compile.
///   - Gathers and scatters lose their masks: the accesses of the lanes follow each other, and those of lanes that are
///   not
///     live are to an element of the stack, or to the beginning of the table that is read.
///   - Loads and stores of very many lanes become loops over the lanes.
/// After all passes that simplify: they would look at what the stack holds.
struct AccessAllLanesPass : llvm::PassInfoMixin<AccessAllLanesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
