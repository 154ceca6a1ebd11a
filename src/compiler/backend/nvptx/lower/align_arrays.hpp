// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Aligns private arrays to 16 bytes. NVIDIA's assembler keeps small arrays in registers even where an index is not
/// known, by comparing it with each that it may be, but only arrays that are aligned so.
struct AlignArraysPass : llvm::PassInfoMixin<AlignArraysPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
