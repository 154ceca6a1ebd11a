// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Turns printf calls into records in the launch's printf buffer (their layout is in abi/cpu_kernel.h). A call returns
/// 0, or -1 if there is no room. Formats go to the named metadata `clotho.printf`: one node for each format, with its
/// text and the size of each argument.
/// Needs: constant formats, so simplify before.  Gives: no call of printf.
struct LowerPrintfPass : llvm::PassInfoMixin<LowerPrintfPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
