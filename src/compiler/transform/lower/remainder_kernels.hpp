// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// reqd_work_group_size makes the local size a constant, but in a non-uniform launch work-groups at the upper ends are
/// smaller. For each kernel that may be launched so, creates a second one, `K.remainder`, which takes any local size
/// and runs only those work-groups. All passes before WorkGroupFunctionPass treat it as a kernel; that pass joins both
/// in one function.
/// Needs: functions inlined into kernels.  Gives: kernels with a required size run work-groups of that size only.
struct RemainderKernelsPass : llvm::PassInfoMixin<RemainderKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
