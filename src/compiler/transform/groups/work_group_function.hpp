// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces each kernel K by two functions: `clotho_wg_K`, which runs a range of work-groups
/// (cpu::WorkGroupFunction) and is all that the object exports, and `K.cl`, which runs one: for each region between
/// barriers, a loop over the group's work-items, or sub-groups if the kernel is vectorised. Then there is a third one,
/// for local sizes along dimension 0 that are no multiple of the width, where a predicated variant that masks the last
/// sub-group of a row came with it (transform/widen/vectorise_kernels.hpp), and one for smaller work-groups of its
/// remainder kernel (transform/lower/remainder_kernels.hpp).
/// Where a kernel yields (transform/lower/yield_in_waiting_loops.hpp) it is not cut at barriers: its sub-groups run in
/// turn, each on a stack of its own, by services of the device (cpu::SubGroupServices). Needs: barriers isolated, no
/// intrinsic outside kernels.  Gives: no kernel, no intrinsic, no local variable.
struct WorkGroupFunctionPass : llvm::PassInfoMixin<WorkGroupFunctionPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
