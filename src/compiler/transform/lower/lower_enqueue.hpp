// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Calls by which kernels enqueue blocks and ask about them, as clang makes them of OpenCL C's functions, become calls
/// of the builtin library (builtins/device_queue.cl): a block is known by its number instead of by its kernel, and what
/// the running thread has for kernels that enqueue others is one more argument. Needs: that kernels are described
/// already, since these calls say which of them are blocks; that queues and events have their plain types
/// (transform/lower/lower_objects.hpp). Gives: no use of the kernels of blocks.
struct LowerEnqueuePass : llvm::PassInfoMixin<LowerEnqueuePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
