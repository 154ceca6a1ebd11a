// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lowers masked accesses for which the processor has no instruction. LLVM would expand each to a test, a branch and an
/// access for each lane, which takes long to compile.
///   - Gathers and scatters lose their masks: all lanes make their accesses one after the other, inactive ones to an
///     alloca or to the first element of the table that is read.
///   - Loads and stores of very many lanes become loops over the lanes.
/// Must run after all passes that simplify: these would take the alloca's contents into account.
struct AccessAllLanesPass : llvm::PassInfoMixin<AccessAllLanesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
