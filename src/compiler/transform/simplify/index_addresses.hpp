// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Writes addresses that count bytes as indices of elements, and pointers that step in bytes or along private arrays
/// from round to round of a loop as where they begin and an index. Compilers that reduce the strength of loops before
/// they write SPIR-V leave the former, and hide from later passes which arrays are accessed, by which elements, and how
/// rounds and lanes differ. Other addresses stay.
/// Needs: values are in registers. Gives: indices of 64 bits, by one counter for each loop.
struct IndexAddressesPass : llvm::PassInfoMixin<IndexAddressesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
