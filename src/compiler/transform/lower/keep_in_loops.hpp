// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Keeps code before a `break` in its loop:
///   for (...) if (found) { x = sub_group_reduce_add(y); break; }
/// For LLVM the block of the `break` is outside the loop, where lanes that left in any iteration would reconverge; in
/// the source only the lanes of one iteration do. Such blocks, if they use sub-group operations, get an edge back into
/// the loop that is never taken (SubGroupOperation::Leaves is true), which only the vectoriser knows. So does a `break`
/// that may follow sub-group operations of some iterations: LLVM may find that it always does.
/// Needs: blocks in the front end's order, which is the source's: a loop's are between its header and its latch.
/// Sub-group functions may still be calls of builtins.
struct KeepInLoopsPass : llvm::PassInfoMixin<KeepInLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
