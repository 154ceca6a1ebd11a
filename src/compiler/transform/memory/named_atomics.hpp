// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Has atomic operations take pointers to local or global memory where generic ones were made of these: clang passes
/// generic pointers to all functions of C11's kind from OpenCL C 2.0 on. Atomics on local memory need no lock.
/// LLVM's InferAddressSpacesPass leaves volatile accesses alone, as all of these are.
struct NamedAtomicsPass : llvm::PassInfoMixin<NamedAtomicsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
