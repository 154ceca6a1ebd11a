// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Makes loads and stores of elements of copies and fills whose size is known (llvm.memcpy, llvm.memmove, llvm.memset).
/// Compilers that optimise before they write SPIR-V make such copies of loops, and front ends of assignments. A private
/// array with one stays an array of bytes to later passes; with loads and stores alone it is interleaved by lane, or
/// becomes registers. Elements have the type by which the array is accessed otherwise. Copies between other memory are
/// lowered where they are short, so that lanes copy with vectors.
/// Needs: scalar variables are registers (SROA); arrays that are only read are constants (InstCombine).
struct LowerCopiesPass : llvm::PassInfoMixin<LowerCopiesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
