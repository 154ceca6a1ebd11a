// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// What a program is to run before its first kernel and after its last one (OpenCL 2.2, section 3.2) becomes two
/// kernels that the runtime launches as one work-item: the initialiser, which calls the functions of llvm.global_ctors
/// by ascending priority, and the clean-up, which calls those of llvm.global_dtors by descending priority. They have
/// the attribute kRoleAttribute. The functions in the lists may be kernels before; they are functions afterwards.
///
/// Destructors that clang registers with `__cxa_atexit` are left out, as C++ for OpenCL allows: the calls do not say
/// which object is meant.
///
/// Needs: a whole program, since the lists are lost. Gives: neither of the lists.
struct ProgramScopeKernelsPass : llvm::PassInfoMixin<ProgramScopeKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
