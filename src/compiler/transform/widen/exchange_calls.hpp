// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Outlines the kernel's compare-exchange loops (analysis/exchange_loops.hpp). The widener calls the functions lane by
/// lane, so that lanes with the same address do not fail together in each iteration. If a loop searches from address to
/// address, each lane's first address is prefetched.
/// Returns whether there are such loops.
bool callExchangeLoops(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// Inlines the outlined loops again and removes the functions.
void inlineExchangeLoops(llvm::Module& module);

} // namespace clotho::compiler
