// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Interchanges the loop over sub-groups with a loop over rows of a matrix whose columns are added up,
///   for (j = 0; j < n; j++) sum += a[j * stride + id] * x[j];
/// A sub-group reads a few lines of each row, and the next sub-group returns to every row for the lines after them,
/// which defeats hardware prefetchers and TLBs. The loops are interchanged in tiles of eight rows and eight sub-groups;
/// the sums are stored in an array meanwhile. Results are bitwise the same.
/// Needs: a loop over sub-groups, marked as independent (split_sub_group_loops.hpp), with one inner loop of a single
/// block, which loads whole vectors and stores nothing; all conditions on the path there the same for all sub-groups.
/// Code before and after the inner loop still runs for each sub-group.  Gives: the original loops, and beside them the
/// interchanged ones, for many rows that are far apart (a run-time check).
struct InterchangeColumnsPass : llvm::PassInfoMixin<InterchangeColumnsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
