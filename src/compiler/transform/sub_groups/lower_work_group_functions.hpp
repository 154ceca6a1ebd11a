// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Of a barrier: before it, nobody needs the variables that it lists any more; behind it, they are written.
inline constexpr const char* kGuardsName = "clotho.guards";

/// Replaces work_group_all, _any, _broadcast, _reduce_* and _scan_* (OpenCL C 3.0, section 6.15.16) by sub-group
/// operations and a variable in local memory that goes from sub-group to sub-group. Between two barriers these run one
/// after the other, in the order of their linear local ids; so a scan takes one barrier and the others take two, of
/// which the first goes where another one serves as well (RedundantBarriersPass).
/// Needs: nothing.  Gives: no call of these functions.
struct LowerWorkGroupFunctionsPass : llvm::PassInfoMixin<LowerWorkGroupFunctionsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Whether it reads what a work-group function gives to all work-items alike.
bool isGroupResult(const llvm::LoadInst& load);

/// Whether the kernel's sub-groups have to run in the order of their linear local ids.
bool countsOnOrder(const llvm::Function& kernel);

} // namespace clotho::compiler
