// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Assumes of accesses to vectors the alignment of an element. OpenCL asks for the vector's, but GPUs do not need it,
/// and programs cast pointers to floats to pointers to float4. A larger alignment than the vector's has been asked for
/// by an attribute and stays. What arguments promise of pointees goes, since LLVM would derive the alignment of
/// accesses from it; objects of known alignment still give accesses theirs. Needs: nothing has been optimised; builtins
/// are linked.
struct ElementAlignmentPass : llvm::PassInfoMixin<ElementAlignmentPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
