// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Fully unrolls loops with few iterations. Returns whether there was one.
bool unrollShortLoops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
