// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>

namespace llvm {
class Instruction;
class Loop;
} // namespace llvm

namespace clotho::compiler {

/// Of the metadata of a loop over the sub-groups of a row, with their width: its counter, the local id of a sub-group's
/// first work-item, is a multiple of that, not negative, and small.
inline constexpr const char* kSubGroupLoopName = "clotho.sub_groups";
/// Of the metadata of a loop over rows of such loops, or over slices of rows.
inline constexpr const char* kRowsLoopName = "clotho.rows";

/// Of the metadata of a loop along a row, each round of which is another sub-group's or work-item's: what one loads is
/// not what another has stored, unless the program has a race. Its counter goes up.
inline constexpr const char* kIndependentLoopName = "clotho.independent";

/// Whether a branch back, perhaps by way of other blocks, has that mark.
bool isMarkedIndependent(const llvm::Instruction& branch);

/// What the loop's metadata say, if it is such a loop.
std::optional<std::uint64_t> subGroupLoopWidth(const llvm::Loop& loop);

/// Steps of scans and reductions are for the work-items from a constant on (`lid >= 4`), or up to one. Divides the loop
/// over sub-groups there, so that all but one sub-group, or all, run without asking which of their lanes are meant.
/// Needs: bottom-tested loops marked as above, in which the mask is a comparison of vectors.
struct SplitSubGroupLoopsPass : llvm::PassInfoMixin<SplitSubGroupLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
