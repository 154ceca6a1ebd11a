// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Stores single elements of vectors. For an assignment to some elements in memory, `p->xz = a` or `p[i][k] = b`, clang
/// loads the whole vector, changes it, and stores it. But other work-items, and in shared memory the host, may write
/// the other elements meanwhile. This pass stores only the assigned elements. A vector that the program itself loads
/// and stores as a whole stays whole.
/// Needs: nothing has been optimised, so that a variable between load and store distinguishes the two.
struct StoreElementsPass : llvm::PassInfoMixin<StoreElementsPass> {
  /// `inArrays`: in private memory, too, but for variables that may be in registers. Checks for reads of what was never
  /// written need that: such a load of the whole vector is no read of the program's.
  explicit StoreElementsPass(bool inArrays = false) : inArrays_(inArrays) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  bool inArrays_;
};

} // namespace clotho::compiler
