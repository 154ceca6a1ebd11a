// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes calls of builtins mean on a GPU what the library leaves to the target:
/// - Atomics and fences get the scope that the call asks for. The library gives all of them the widest, which costs
///   nothing on a CPU. They are no longer volatile. Those of pipes are for the device.
/// - Work-items that step aside at a pipe sleep.
/// - Clocks are those of the scope.
/// - Texels are aligned to their size, as all of them are in a GPU's memory; in the host's they need not be.
/// - Questions about the memory of a generic pointer become instructions.
/// Needs: builtins are linked and not inlined.
struct AdaptBuiltinsPass : llvm::PassInfoMixin<AdaptBuiltinsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
