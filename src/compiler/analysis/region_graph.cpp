// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/region_graph.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;

/// Post-dominators of a region's blocks within the region. Blocks that leave the region are post-dominated by
/// themselves alone.
class PostDominators {
 public:
  PostDominators(const BarrierRegion& region, const BarrierRegions& all) : all_(all) {
    for (const BasicBlock* block : region.blocks)
      index_[block] = index_.size();
    sets_.assign(index_.size(), llvm::BitVector(index_.size(), true));
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock* block : llvm::reverse(region.blocks))
        changed |= update(block);
    }
  }

  bool leaves(const BasicBlock* block) const { return all_.after.contains(block) || llvm::succ_empty(block); }
  /// Whether paths from the block may leave the region at different ends without meeting in one block before.
  bool decides(const BasicBlock* block) const { return !leaves(block) && set(block).count() == 1; }
  bool postDominates(const BasicBlock* block, const BasicBlock* from) const { return set(from)[index_.lookup(block)]; }

 private:
  const llvm::BitVector& set(const BasicBlock* block) const { return sets_[index_.lookup(block)]; }

  bool update(const BasicBlock* block) {
    llvm::BitVector meet(sets_.size(), !leaves(block));
    if (!leaves(block))
      for (const BasicBlock* successor : llvm::successors(block))
        meet &= set(successor);
    meet.set(index_[block]);
    llvm::BitVector& current = sets_[index_[block]];
    if (meet == current) return false;
    current = std::move(meet);
    return true;
  }

  const BarrierRegions& all_;
  llvm::DenseMap<const BasicBlock*, unsigned> index_;
  std::vector<llvm::BitVector> sets_;
};

bool inCycle(const BasicBlock* block, const PostDominators& graph) {
  llvm::SmallPtrSet<const BasicBlock*, 16> reached;
  llvm::SmallVector<const BasicBlock*, 16> work = {block};
  while (!work.empty()) {
    const BasicBlock* at = work.pop_back_val();
    if (graph.leaves(at)) continue;
    for (const BasicBlock* successor : llvm::successors(at)) {
      if (successor == block) return true;
      if (reached.insert(successor).second) work.push_back(successor);
    }
  }
  return false;
}

} // namespace

BasicBlock* findUniformDecision(const BarrierRegion& region, const BarrierRegions& all,
                                const WorkItemUniformity& uniformity) {
  if (region.ends.size() + region.mayReturn < 2) return nullptr;
  const PostDominators graph(region, all);
  for (BasicBlock* block : region.blocks) {
    if (!graph.decides(block) || !graph.postDominates(block, region.start)) continue;
    const bool branches = llvm::isa<llvm::BranchInst>(block->getTerminator());
    return branches && !uniformity.hasDivergentBranch(*block) && !inCycle(block, graph) ? block : nullptr;
  }
  return nullptr;
}

bool itemsMayPart(const BarrierRegion& region, const BarrierRegions& all, const WorkItemUniformity& uniformity) {
  if (!region.mayReturn || region.ends.empty()) return false;
  const PostDominators graph(region, all);
  return llvm::any_of(region.blocks, [&](const BasicBlock* block) {
    return graph.decides(block) && uniformity.hasDivergentBranch(*block);
  });
}

} // namespace clotho::compiler
