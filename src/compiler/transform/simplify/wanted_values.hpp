// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Finds arguments that are integers and say how often a loop goes round, or by what ids are divided: the radius of a
/// filter, the columns of a matrix. KernelFacts::wantedValues names them, so that launches which have the same values
/// again and again get a version in which they are constants. Needs: functions inlined into kernels, values in
/// registers.
struct WantedValuesPass : llvm::PassInfoMixin<WantedValuesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
