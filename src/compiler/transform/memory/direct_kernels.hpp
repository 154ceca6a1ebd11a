// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Local-memory elimination. On GPUs, a work-group loads a tile of a matrix into local memory, one element for each
/// work-item, and reads it after a barrier. On a CPU the data is in the cache anyway. For each kernel with such a loop,
/// or that fills and reads a tile once, this pass creates a second one, `K.direct`. It loads each element from where
/// the filling work-item would have loaded it, and has neither local memory nor barriers. So it runs like kernels
/// without them, several rows of several work-groups at once. All passes before WorkGroupFunctionPass treat it as a
/// kernel; that pass joins both in one function.
///
/// It is equivalent to the kernel if
/// - the local size is `directSize`, which fills each tile completely, and
/// - no memory that arguments point to is both read and written (LaunchParams::argumentsApart), since other work-items
///   write results while some still read. Nor is a barrier reached after results are written, which could order writes
///   of different work-items to one address.
/// Barriers between filling a tile, which all work-items do in each iteration, and reading it need not be proven:
/// without them the program has races.
/// Kernels that are built for debugging are left alone.
/// Needs: functions inlined into kernels, values in registers.
struct DirectKernelsPass : llvm::PassInfoMixin<DirectKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
