// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Gives atomics the form in which LLVM 22 keeps their meaning: its NVPTX back end forgets order and scope of
/// atomicrmw, which becomes relaxed and of device scope. Fences around the instruction order it, and PTX in the text
/// widens its scope. Scopes of OpenCL get NVPTX's names, and atomics on local memory the scope of the work-group.
/// Needs: address spaces are NVPTX's.
struct OrderAtomicsPass : llvm::PassInfoMixin<OrderAtomicsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
