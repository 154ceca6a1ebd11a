// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Expands copies and fills of known size (llvm.memcpy, llvm.memmove, llvm.memset) into loads and stores of elements.
/// Compilers that optimise before they write SPIR-V turn loops into such copies, and front ends turn assignments into
/// them. To later passes a private array with a copy is an array of bytes; with loads and stores alone it is
/// interleaved by lane, or promoted to registers. Elements have the type of the array's other accesses. Copies between
/// other memory are expanded if they are short, so that lanes copy with vectors.
/// Needs: scalar variables in registers (SROA); read-only arrays made constants (InstCombine).
struct LowerCopiesPass : llvm::PassInfoMixin<LowerCopiesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

} // namespace clotho::compiler
