// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Lowers OpenCL's sub-group functions (cl_khr_subgroups and its extensions, cl_intel_subgroups) to the few operations
/// of sub_group_operations.hpp and to arithmetic on intrinsics.
/// Needs: nothing.  Gives: no calls of get_sub_group_size, sub_group_reduce_add and similar.
struct LowerSubGroupsPass : llvm::PassInfoMixin<LowerSubGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Sets KernelFacts::usesSubGroups in each kernel whose results depend on its division into sub-groups, or that
/// requires a sub-group size.
/// Needs: sub-group functions lowered and inlined into kernels.
struct MarkSubGroupsPass : llvm::PassInfoMixin<MarkSubGroupsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Lowers sub-group operations for sub-groups of one work-item, in kernels that have not been vectorised.
/// Needs: the vectoriser has run.  Gives: no sub-group operation and no intrinsic of sub-groups.
struct SubGroupsOfOnePass : llvm::PassInfoMixin<SubGroupsOfOnePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

/// Whether the program uses sub-groups, by their functions or by a required size.
bool asksForSubGroups(const llvm::Module& module);

} // namespace clotho::compiler
