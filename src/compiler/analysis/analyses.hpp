// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lets the manager compute the analyses of analyses.def for passes that ask for them.
void registerAnalyses(llvm::FunctionAnalysisManager& analyses);

} // namespace clotho::compiler
