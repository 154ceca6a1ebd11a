// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Writes out the rounds of loops that have few. Whether there was one.
bool unrollShortLoops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
