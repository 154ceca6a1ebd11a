// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces each kernel K by functions over work-groups. `clotho_wg_K` runs a range of work-groups
/// (cpu::WorkGroupFunction) and is the only exported one. `K.cl` runs one work-group: for each region between barriers,
/// it has loops over the group's work-items, or sub-groups if the kernel is vectorised. A predicated variant
/// (transform/widen/vectorise_kernels.hpp), which masks the last sub-group of a row, becomes a third one, for local
/// sizes along dimension 0 that are not multiples of the width. The remainder kernel
/// (transform/lower/remainder_kernels.hpp) becomes one for smaller work-groups.
/// A kernel that yields (transform/lower/yield_in_waiting_loops.hpp) is not divided at barriers: its sub-groups run in
/// turn, each on a stack of its own, by services of the device (cpu::SubGroupServices).
/// Needs: barriers isolated, no intrinsic outside kernels.  Gives: no kernel, no intrinsic, no local variable.
struct WorkGroupFunctionPass : llvm::PassInfoMixin<WorkGroupFunctionPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
