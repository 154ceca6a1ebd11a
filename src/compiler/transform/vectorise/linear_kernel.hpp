// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// A copy of the kernel in which work-items have one id, the linear one, and compute the others of it: lanes that are
/// neighbours by it need not be so in a row.
llvm::Function* cloneLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
