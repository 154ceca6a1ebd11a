// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// A sub-group that adds up columns of a matrix that lies row by row,
///   for (j = 0; j < n; j++) sum += a[j * stride + id] * x[j];
/// reads a few lines of each row, and the next sub-group comes back to every row for the lines behind them: neither
/// processors' prefetchers nor their tables of pages like that. This pass exchanges the loop over sub-groups and the
/// loop over rows, a tile at a time: eight rows for eight sub-groups, whose sums wait in memory of the function
/// meanwhile. Results are the same to the bit.
/// Needs: a loop over sub-groups, marked as independent (split_sub_group_loops.hpp), with no other loop in it but one
/// of a single block, which loads whole vectors and stores nothing, and all conditions on the way there the same for
/// all sub-groups. What is done before and after that loop is done for each sub-group as it was. Gives: the loops as
/// they were, and beside them those exchanged, for many rows that are far apart (decided when the kernel runs).
struct InterchangeColumnsPass : llvm::PassInfoMixin<InterchangeColumnsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace clotho::compiler
