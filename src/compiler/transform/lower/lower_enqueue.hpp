// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lowers clang's calls that enqueue blocks or query them to calls of the builtin library (builtins/device_queue.cl). A
/// block is identified by its number instead of its kernel, and the running thread's data for enqueuing is an
/// additional argument.
/// Needs: describeKernels has run, since it recognises blocks by these calls; queues and events have their plain types
/// (transform/lower/lower_objects.hpp).  Gives: the module no longer refers to the kernels of blocks.
struct LowerEnqueuePass : llvm::PassInfoMixin<LowerEnqueuePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
