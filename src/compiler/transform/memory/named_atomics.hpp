// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces generic pointers of atomic operations by the local or global ones that they were cast from: clang passes
/// generic pointers to all functions of C11's kind from OpenCL C 2.0 on. Atomics on local memory become plain accesses
/// later. LLVM's InferAddressSpacesPass skips volatile accesses, as all of these are.
struct NamedAtomicsPass : llvm::PassInfoMixin<NamedAtomicsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
