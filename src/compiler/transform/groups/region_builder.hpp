// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/group_frame.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace llvm {
class SSAUpdater;
}

namespace clotho::compiler {

/// Writes the body of a function that runs one work-group. Each region of the kernel becomes a copy of its blocks
/// inside loops over the work-items, followed by a branch to the next region. In a vectorised kernel each iteration
/// runs a sub-group, identified by its first work-item; comments about work-items here then apply to sub-groups.
class RegionBuilder {
 public:
  /// Properties of the work-group, available everywhere in the function.
  struct Group {
    llvm::Function* function;
    llvm::BasicBlock* entry; ///< ends in no terminator yet; facts are computed there
    llvm::Value* localSize[3];
    unsigned width; ///< Width of a sub-group
    unsigned rows;  ///< number of rows that run at once; the last run may have fewer
    llvm::Value* frame;
    llvm::ValueToValueMapTy* map; ///< the kernel's arguments, local variables and uniform intrinsics
    /// i64: the region to resume at, 0 at first, if other groups may run in between (analysis/interleaving.hpp). The
    /// function then returns the next value, or 0 at its end.
    llvm::Value* resume = nullptr;
  };
  RegionBuilder(const Group& group, const BarrierRegions& regions, const GroupFrame& frame);
  ~RegionBuilder();
  void build();
  /// Bytes of state stored between two calls, after the context array, at a multiple of kStateAlign.
  std::uint64_t stateBytes() const { return stateBytes_; }
  static constexpr std::uint64_t kStateAlign = 128;

 private:
  /// One region while it is written.
  struct Loops {
    llvm::BasicBlock* before; ///< runs once
    llvm::BasicBlock* item;   ///< runs for each work-item that has not returned
    llvm::BasicBlock* latch;  ///< Block in which each work-item's path ends
    llvm::BasicBlock* after;  ///< runs once
    llvm::Value* localId[3];
    llvm::Value* index; ///< Index of the work-item in the frame's arrays
  };

  void createGroupStorage();
  void createState();
  void declareVariables(llvm::Instruction* point);
  void chooseOrder();
  Loops buildLoops(unsigned region);
  llvm::Value* itemIndex(llvm::Value* const (&localId)[3], llvm::IRBuilder<>& builder);
  void buildRegion(unsigned region);
  void restore(const BarrierRegion& region, const Loops& loops, llvm::IRBuilder<>& before, llvm::IRBuilder<>& item);
  llvm::Value* recompute(llvm::Value* value, llvm::IRBuilder<>& builder);
  void cloneBlocks(const BarrierRegion& region, const Loops& loops);
  bool isFrameLifetime(const llvm::Instruction& instruction) const;
  bool leavesRegion(const llvm::BasicBlock& block) const;
  void repairValues(const BarrierRegion& region, llvm::BasicBlock* item);
  void finishPaths(const BarrierRegion& region, const Loops& loops);
  void returnItem(const BarrierRegion& region, const Loops& loops, llvm::BasicBlock* original);
  void endItem(const BarrierRegion& region, const Loops& loops, unsigned end);
  void save(llvm::Instruction* value, const Loops& loops, llvm::IRBuilder<>& item, llvm::IRBuilder<>& leave);
  void leaveRegion(llvm::BasicBlock* original, llvm::IRBuilder<>& item, llvm::IRBuilder<>& leave);
  void dispatch(const BarrierRegion& region, const Loops& loops);
  llvm::Value* slotAddress(const GroupFrame::Slot& slot, llvm::Value* index, llvm::IRBuilder<>& builder);
  void markParallel(llvm::Instruction& access);

  Group group_;
  const BarrierRegions& regions_;
  const GroupFrame& frame_;
  llvm::LLVMContext& context_;
  llvm::SmallVector<std::pair<const llvm::Instruction*, unsigned>, 4> localIds_; ///< calls, with their dimensions
  std::vector<llvm::BasicBlock*> starts_;                                        ///< First block of each region
  llvm::BasicBlock* return_ = nullptr;
  llvm::AllocaInst* end_ = nullptr;      ///< number of the region's end at which work-items arrived
  llvm::AllocaInst* decision_ = nullptr; ///< branch condition there, if only work-items can compute it
  llvm::DenseMap<const llvm::Instruction*, llvm::Value*>
      uniform_; ///< addresses of values that are stored once for the group
  std::uint64_t stateBytes_ = 0;
  llvm::DenseMap<std::uint64_t, llvm::Value*> slotBases_; ///< arrays in the frame, by offset
  /// Address of the running work-item's copy of each variable in the context array that has debug information.
  llvm::DenseMap<const llvm::AllocaInst*, llvm::AllocaInst*> addresses_;
  llvm::Value* rowCount_ = nullptr; ///< work-items (or sub-groups) along dimension 0
  llvm::Value* itemCount_ = nullptr;
  unsigned order_[3] = {2, 1, 0};       ///< dimensions of the loops, from the outermost on
  llvm::MDNode* accessGroup_ = nullptr; ///< access group of the region being written

  // State of the region being written.
  llvm::SmallVector<llvm::BasicBlock*, 4> leaves_;            ///< blocks behind the loops, one for each end
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> itemBlocks_; ///< blocks that run once for each work-item
  llvm::ValueToValueMapTy map_;
  llvm::DenseMap<const llvm::Instruction*, llvm::Value*> restored_;
  llvm::DenseMap<const llvm::Instruction*, std::unique_ptr<llvm::SSAUpdater>> repairs_;
};

} // namespace clotho::compiler
