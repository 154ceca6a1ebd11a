// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lowers work_group_all, _any, _broadcast, _reduce_* and _scan_* (OpenCL C 3.0, section 6.15.16) to sub-group
/// operations and a local variable that carries a value from sub-group to sub-group. Between two barriers, sub-groups
/// run one after the other in the order of their linear local ids. So a scan takes one barrier and the others take two.
/// Needs: nothing.  Gives: no calls of these functions.
struct LowerWorkGroupFunctionsPass : llvm::PassInfoMixin<LowerWorkGroupFunctionsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
