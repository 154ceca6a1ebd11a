// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// reqd_work_group_size makes the local size a constant, except where a launch is non-uniform: work-groups at its upper
/// ends are smaller. For each kernel of which that may be asked, there is a second one from here on, `K.remainder`,
/// which takes any local size and runs those work-groups alone. It is a kernel, too, to all passes before
/// WorkGroupFunctionPass, which makes both parts of one function.
/// Needs: functions inlined into kernels.  Gives: kernels with a required size run work-groups of that size only.
struct RemainderKernelsPass : llvm::PassInfoMixin<RemainderKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
