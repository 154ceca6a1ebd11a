// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checker.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lets loops that may run for ever ask the device from time to time whether they may go on; the device ends a launch
/// that has run too long. Loops with a bound need no check.
void checkLoops(llvm::Function& function, Checker& checker, llvm::FunctionAnalysisManager& analyses);

/// Whether the function has a loop that checkLoops checks.
bool hasUnboundedLoop(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
