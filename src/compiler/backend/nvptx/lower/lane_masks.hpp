// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/work_item_uniformity.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Dominators.h>

namespace clotho::compiler {

/// Blocks of a kernel that either all lanes of a warp run or none, each time.
class UniformBlocks {
 public:
  UniformBlocks(llvm::Function& kernel, const llvm::LoopInfo& loops);

  bool isUniform(const llvm::BasicBlock& block) const;
  /// Whether lanes that end the block together may go to different blocks.
  bool branchesApart(const llvm::BasicBlock& block) const { return divergent_.contains(&block); }

 private:
  using Blocks = llvm::SmallVector<const llvm::BasicBlock*, 4>;

  /// Adds branches in the loop by which a lane may go on to the loop's next iteration without `block`.
  void addBranchesAround(const llvm::Loop& loop, const llvm::BasicBlock& block, Blocks& branches) const;

  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const llvm::BasicBlock*, Blocks> controlledBy_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> divergent_;
};

/// Origin of the lanes that run a block together.
struct LaneOrigin {
  enum class Kind {
    All,    ///< all lanes of the warp
    Edge,   ///< those that go there from `from`, the only predecessor
    Loop,   ///< those of the loop that are still in it; `from` is the block before the loop
    Join,   ///< those that run `from`, which meet here again
    Unknown ///< some of those that run `from`: others leave for other blocks
  };
  Kind kind;
  llvm::BasicBlock* from = nullptr;
};

/// Finds the origins of lanes. It refers to the function and is invalid after any change of its blocks.
class LaneFlow {
 public:
  explicit LaneFlow(llvm::Function& kernel);

  const LaneOrigin& originOf(llvm::BasicBlock& block);
  /// The first block, on the ways of lanes to `block`, of which it is not known which lanes run it.
  llvm::BasicBlock* firstUnknown(llvm::BasicBlock& block);
  /// Blocks on the ways from `from` to `to`, without these two.
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> blocksBetween(llvm::BasicBlock& from, llvm::BasicBlock& to) const;

  const llvm::LoopInfo& loops() const { return loops_; }
  const UniformBlocks& uniform() const { return uniform_; }

 private:
  LaneOrigin find(llvm::BasicBlock& block);

  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  UniformBlocks uniform_;
  llvm::DenseMap<const llvm::BasicBlock*, LaneOrigin> origins_;
};

/// Changes the kernel's blocks so that it is known which lanes run each block of `wanted`. Lanes that would leave the
/// ways to such a block for others meet the lanes that go there in a block before it.
void joinLanes(llvm::Function& kernel, llvm::ArrayRef<llvm::BasicBlock*> wanted);

/// Masks of the lanes that run blocks together: those that came by the same iterations of all loops. They are computed
/// from votes at branches and from `all`, the mask of the warp, so they do not depend on when the hardware joins lanes.
class LaneMasks {
 public:
  LaneMasks(llvm::Function& kernel, llvm::Value* all) : flow_(kernel), all_(all) {}

  /// The mask at the block's beginning; null if it is not known.
  llvm::Value* at(llvm::BasicBlock& block);

 private:
  llvm::Value* make(llvm::BasicBlock& block);
  llvm::Value* onEdge(llvm::BasicBlock& from, llvm::BasicBlock& to);

  LaneFlow flow_;
  llvm::Value* all_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::Value*> masks_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::Value*> firstWay_; ///< lanes that take a branch's first way
};

} // namespace clotho::compiler
