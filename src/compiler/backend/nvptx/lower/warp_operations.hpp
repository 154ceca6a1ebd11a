// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lowers sub-group operations to shuffles, votes and reductions of a warp. The lanes that take part in an operation
/// are those that run its block together (lane_masks.hpp). If that cannot be told, they are all that the work-group has
/// in the warp, or, in operations that not all lanes need to reach (kActiveLanes), those that the hardware has
/// together. Needs: sub-group operations are in kernels alone.  Gives: no sub-group operation.
class WarpOperationsPass : public llvm::PassInfoMixin<WarpOperationsPass> {
 public:
  /// `hasRedux`: there are instructions that reduce 32-bit integers.
  explicit WarpOperationsPass(bool hasRedux = true) : hasRedux_(hasRedux) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  bool hasRedux_;
};

} // namespace clotho::compiler
