// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// The loops over the sub-groups of a work-group that run one region, where the innermost is one block over a row.
/// What they compute is used in them alone.
struct RowLoopNest {
  llvm::Loop* row;
  llvm::Loop* outermost;    ///< the row's own where there is but one row
  llvm::BasicBlock* before; ///< where they are come from
  std::uint64_t width;
  llvm::PHINode* counter; ///< the local id of the sub-group's first work-item
  llvm::BranchInst* end;  ///< of a round
  bool descends;          ///< from the last to the first
  llvm::Value* limit;     ///< the last counter of those that descend, else what is more than all

  llvm::BasicBlock& body() const { return *row->getHeader(); }
  /// Both go through the same rows, whatever the order.
  bool hasRowsOf(const RowLoopNest& other) const;
  /// Whether a round asks for more than the counter of what its loops compute: which of several rows it is in.
  bool dependsOnLoopsAround() const;
  /// Nothing comes between this and the other.
  bool isFollowedBy(const RowLoopNest& next) const;
};

std::optional<RowLoopNest> matchRowLoopNest(llvm::Loop& row);

} // namespace clotho::compiler
