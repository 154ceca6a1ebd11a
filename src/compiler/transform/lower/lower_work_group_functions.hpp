// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces work_group_all, _any, _broadcast, _reduce_* and _scan_* (OpenCL C 3.0, section 6.15.16) by sub-group
/// operations and a variable in local memory that goes from sub-group to sub-group. Between two barriers these run one
/// after the other, in the order of their linear local ids; so a scan takes one barrier and the others take two, of
/// which the first goes where another one serves as well (RedundantBarriersPass).
/// Needs: nothing.  Gives: no call of these functions.
struct LowerWorkGroupFunctionsPass : llvm::PassInfoMixin<LowerWorkGroupFunctionsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
