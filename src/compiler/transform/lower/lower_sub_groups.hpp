// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Replaces OpenCL's sub-group functions (cl_khr_subgroups and the extensions to it, cl_intel_subgroups) by the few
/// operations of sub_group_operations.hpp and by arithmetic on intrinsics.
/// Needs: nothing.  Gives: no call of get_sub_group_size, sub_group_reduce_add and their like.
struct LowerSubGroupsPass : llvm::PassInfoMixin<LowerSubGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Gives each kernel in which work-items can tell how they are divided into sub-groups, or that requires a size of
/// them, the fact KernelFacts::usesSubGroups.
/// Needs: sub-group functions lowered and inlined into kernels.
struct MarkSubGroupsPass : llvm::PassInfoMixin<MarkSubGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// What sub-group operations are where a sub-group is one work-item: in kernels that have not been vectorised.
/// Needs: the vectoriser has run.  Gives: no sub-group operation and no intrinsic of sub-groups.
struct SubGroupsOfOnePass : llvm::PassInfoMixin<SubGroupsOfOnePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// The program asks for sub-groups, by their functions or by a size that it requires of them.
bool asksForSubGroups(const llvm::Module& module);

} // namespace clotho::compiler
