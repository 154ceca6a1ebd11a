// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// How the sub-groups of a work-group run between two barriers.
enum class SubGroupOrder {
  InTurn, ///< one after the other, in the order of their linear local ids
  AtOnce, ///< in any order, in at most as many warps as a warp has lanes
};

/// Lowers work_group_all, _any, _broadcast, _reduce_* and _scan_* (OpenCL C 3.0, section 6.15.16) to sub-group
/// operations and local variables. If sub-groups run in turn, a variable carries a value from one to the next; a scan
/// then takes one barrier and the others take two. Otherwise each warp leaves its part in an array, which the first one
/// combines.
/// Needs: nothing.  Gives: no calls of these functions.
class LowerWorkGroupFunctionsPass : public llvm::PassInfoMixin<LowerWorkGroupFunctionsPass> {
 public:
  explicit LowerWorkGroupFunctionsPass(SubGroupOrder order = SubGroupOrder::InTurn) : order_(order) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  SubGroupOrder order_;
};

} // namespace clotho::compiler
