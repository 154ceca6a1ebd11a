// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Divides floats and takes their roots by instructions that are as accurate as OpenCL asks (2.5 and 3 ulp) instead of
/// correctly rounded, where the program allows it (!fpmath). One over a root is one instruction.
struct FastDivisionPass : llvm::PassInfoMixin<FastDivisionPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
