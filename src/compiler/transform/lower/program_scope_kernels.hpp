// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Turns program-scope initialisation and clean-up (OpenCL 2.2, section 3.2) into two kernels that the runtime launches
/// with one work-item. The initialiser calls the functions of llvm.global_ctors by ascending priority, the clean-up
/// those of llvm.global_dtors by descending priority. They have the attribute kRoleAttribute. Kernels in the lists
/// become functions.
///
/// Destructors that clang registers with `__cxa_atexit` are left out, as C++ for OpenCL allows: the calls do not say
/// which object is meant.
///
/// Needs: a whole program, since the lists are removed.  Gives: neither of the lists.
struct ProgramScopeKernelsPass : llvm::PassInfoMixin<ProgramScopeKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
