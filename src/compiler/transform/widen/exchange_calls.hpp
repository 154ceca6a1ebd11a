// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes functions of the kernel's loops that try an exchange again (analysis/exchange_loops.hpp), and calls them. The
/// widener has each lane call such a function alone. So lanes that want one place do not fail together, round after
/// round. If the loop goes from place to place, the first place of each lane is prefetched before.
/// Returns whether there are such loops.
bool callExchangeLoops(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// Whether the instruction is such a call.
bool isExchangeLoop(const llvm::Instruction& instruction);

/// Puts the loops back to where they are called, and removes the functions.
void inlineExchangeLoops(llvm::Module& module);

} // namespace clotho::compiler
