// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// On GPUs, a work-group loads a tile of a matrix into local memory, a work-item an element, and goes through it after
/// a barrier. A CPU has what all of them read in its cache anyhow. For each kernel with such a loop, or which fills and
/// reads a tile once, there is a second one from here on, `K.direct`, which reads what the tile would hold from where
/// the work-item that fills it would have read it, and has neither local memory nor barriers: so it runs as kernels
/// without them do, several rows of several work-groups at once. It is a kernel, too, to all passes before
/// WorkGroupFunctionPass, which makes both parts of one function.
///
/// It gives what the kernel gives where
/// - the local size is `directSize`, which fills each tile whole, and
/// - no memory that arguments point to is both read and written (LaunchParams::argumentsApart). Other work-items write
///   results while some still read. Nor is a barrier reached after they have been written, which could keep the order
///   of what different work-items write in one place.
/// That barriers stand between writing a tile, which all work-items do in each round, and reading it in that round need
/// not be proven: without them the program has races.
/// Debuggers are shown no such kernels: programs that they can follow have none.
/// Needs: functions inlined into kernels, values in registers.
struct DirectKernelsPass : llvm::PassInfoMixin<DirectKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

} // namespace clotho::compiler
