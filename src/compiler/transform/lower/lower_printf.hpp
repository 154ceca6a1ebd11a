// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Turns printf calls into records in the launch's printf buffer (abi/cpu_kernel.h says how they look).
/// A call gives 0, or -1 when there is no room. Formats go to the named metadata `clotho.printf`: one node a format,
/// its text and then the size of each argument.
/// Needs: formats are constants, so simplify before.  Gives: no call of printf.
struct LowerPrintfPass : llvm::PassInfoMixin<LowerPrintfPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
