// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Loop;
class PHINode;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace clotho::compiler {

/// Sums of the columns of a matrix: the loop over sub-groups, with the counter `own`, and the loop over matrix rows
/// inside it.
struct ColumnNest {
  llvm::Loop* outer;
  llvm::Loop* inner;
  llvm::PHINode* own;
  llvm::Value* step;
  llvm::Value* next; ///< value of `own` in the next iteration
  llvm::Value* limit;
  /// Conditions under which sub-groups reach the inner loop, and the value that each must have. They must hold for all
  /// sub-groups.
  llvm::SmallVector<std::pair<llvm::Value*, bool>, 4> conditions;
  llvm::SmallVector<llvm::BasicBlock*, 4> before,
      after; ///< blocks of the outer loop before and after the inner one, in order
  llvm::SmallVector<llvm::PHINode*, 2> sums;
  llvm::SmallVector<std::pair<llvm::PHINode*, llvm::Value*>, 2> counters; ///< each with its increment
  std::uint64_t subGroups;                                                ///< Number of sub-groups of a tile
  const llvm::SCEV* backedgesTaken;                                       ///< trip count less one
  llvm::Value* address;                                                   ///< Address of what is loaded from a row
};

/// Matches an inner loop that sums over rows and is alone in a loop over independent sub-groups. Nothing if the two
/// loops cannot be interchanged.
std::optional<ColumnNest> columnNestOf(llvm::Loop& inner, llvm::DominatorTree& dominators,
                                       llvm::ScalarEvolution& evolution);

} // namespace clotho::compiler
