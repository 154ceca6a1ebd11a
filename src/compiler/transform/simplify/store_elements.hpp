// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// What a program assigns to some elements of a vector in memory, `p->xz = a` or `p[i][k] = b`, clang writes as a load
/// of the whole vector, a change, and a store of the whole vector. But the other elements may be written meanwhile: by
/// other work-items, and in shared memory by the host. This pass stores the elements that are assigned to, and no more.
/// A vector that the program itself loads and stores whole stays whole.
/// Needs: nothing has been optimised, so that a variable between load and store tells the two apart.
struct StoreElementsPass : llvm::PassInfoMixin<StoreElementsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
