// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Keeps in its loop what a work-item does before it leaves from the middle:
///   for (...) if (found) { x = sub_group_reduce_add(y); break; }
/// To LLVM the block of the `break` is behind the loop, where all lanes that left in any round would come together; the
/// source says that those of one round do. Such blocks, if they use sub-group operations, get a way back into the loop
/// that is never taken (SubGroupOperation::Leaves is true), which only the vectoriser knows.
/// Needs: the front end's order of blocks, which is the source's: a loop's are between its header and its latch.
struct KeepInLoopsPass : llvm::PassInfoMixin<KeepInLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
