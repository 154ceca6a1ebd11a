// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Finds integer arguments that determine trip counts or divide ids: the radius of a filter, the columns of a matrix.
/// KernelFacts::wantedValues names them; launches that repeat the same values get a version in which they are
/// constants.
/// Needs: functions inlined into kernels, values in registers.
struct WantedValuesPass : llvm::PassInfoMixin<WantedValuesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
