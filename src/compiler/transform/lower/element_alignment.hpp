// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Assumes only the element's alignment for accesses to vectors. OpenCL requires the vector's, but GPUs do not need it,
/// and programs cast pointers to float to pointers to float4. An alignment above the vector's comes from an attribute
/// and stays. Alignment attributes of arguments are removed, since LLVM would derive the alignment of accesses from
/// them; objects of known alignment still determine that of accesses.
/// Needs: nothing has been optimised; builtins are linked.
struct ElementAlignmentPass : llvm::PassInfoMixin<ElementAlignmentPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
