// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Rewrites addresses that count bytes as indices of elements, and pointers that advance in bytes, by several elements
/// or along private arrays in each iteration as a start and an index. Compilers leave such addresses if they reduce the
/// strength of loops before they write SPIR-V. They hide from later passes which arrays and elements are accessed, and
/// how iterations and lanes differ. Other addresses stay. Needs: values in registers.  Gives: 64-bit indices, by one
/// counter for each loop.
struct IndexAddressesPass : llvm::PassInfoMixin<IndexAddressesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
