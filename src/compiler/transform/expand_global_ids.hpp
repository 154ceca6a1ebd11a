// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Of kernels that cannot tell whether neighbouring work-groups are run as one: how long the rows of such groups should
/// be, in work-items.
inline constexpr const char* kMergeableAttribute = "clotho-merged-row";
/// Loops may go through what the work-items of a group share in a cache, so that the group's shape matters.
inline constexpr const char* kMergedRowWithLoops = "256";
/// What has none reads and writes memory from one end to the other.
inline constexpr const char* kMergedRowWithoutLoops = "16384";

/// Whether the kernel asks for nothing that tells where launches are cut into work-groups along dimension 0, local
/// variables apart.
bool isMergeable(const llvm::Function& kernel);

/// Writes each global id as the sum of the group's base and the local id, and before that marks the kernels for which
/// the cut into work-groups along dimension 0 makes no difference: they ask for global ids only, have no barrier and
/// no local memory.
/// Needs: work-item functions lowered, inlined into kernels.  Gives: no primitive GlobalId.
struct ExpandGlobalIdsPass : llvm::PassInfoMixin<ExpandGlobalIdsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
