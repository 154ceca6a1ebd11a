// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/work_item_uniformity.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>

#include <vector>

namespace clotho::compiler {

/// How the lanes of a sub-group take a kernel's control flow together: the order in which blocks are laid out if lanes
/// diverge, the loops that lanes leave in different iterations, and the blocks that run with the same lanes as an
/// earlier one. The method is partial linearisation (Moll and Hack, PLDI 2018).
/// Needs: reducible flow in LoopSimplify and LCSSA form, no critical edges, no switch, one return.
class SubGroupFlow {
 public:
  SubGroupFlow(llvm::Function& function, const llvm::LoopInfo& loops, const WorkItemUniformity& uniformity);
  SubGroupFlow(SubGroupFlow&&) noexcept;
  ~SubGroupFlow();
  /// The result refers to LoopInfo and to the uniformity and is invalid without them.
  bool invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                  llvm::FunctionAnalysisManager::Invalidator& invalidator);

  /// Blocks in topological order, ignoring back edges. The blocks of a loop are contiguous, and so are those that a
  /// block dominates among the blocks and inner loops of one loop.
  llvm::ArrayRef<llvm::BasicBlock*> order() const { return order_; }
  unsigned indexOf(const llvm::BasicBlock* block) const { return index_.lookup(block); }

  /// Whether lanes may diverge at the block's end.
  bool parts(const llvm::BasicBlock& block) const { return parts_.contains(&block); }
  /// Whether lanes may leave the loop in different iterations, or to different blocks.
  bool isDivergent(const llvm::Loop& loop) const { return divergentLoops_.contains(&loop); }
  /// Exit blocks of a divergent loop to which lanes go.
  llvm::SmallVector<llvm::BasicBlock*, 4> exitsOf(const llvm::Loop& loop) const;
  /// An earlier block that runs with the same lanes (in the same iteration if it is a loop header); null if the block's
  /// mask must be computed from its predecessors.
  llvm::BasicBlock* sameLanesAs(const llvm::BasicBlock& block) const { return same_.lookup(&block); }

  /// Immediate dominator of a block within its loop, for blocks that are not loop headers.
  llvm::BasicBlock* dominatorOf(const llvm::BasicBlock& block) const { return dominators_.lookup(&block); }

  bool isLoopHeader(const llvm::BasicBlock* block) const;
  /// Whether the phi takes a value out of a divergent loop: each lane has the value of its own last iteration.
  bool leavesDivergently(const llvm::PHINode& phi) const;
  /// Whether the edge leaves a divergent loop, perhaps together with others.
  bool leavesDivergentLoop(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;
  const llvm::LoopInfo& loops() const { return loops_; }

 private:
  struct Level;
  void analyse(const llvm::Loop* loop, llvm::BasicBlock* entry);
  void layOut(const Level& level, unsigned node);

  const llvm::LoopInfo& loops_;
  const WorkItemUniformity& uniformity_;
  std::vector<llvm::BasicBlock*> order_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> index_;
  llvm::DenseSet<const llvm::BasicBlock*> parts_;
  llvm::DenseSet<const llvm::Loop*> divergentLoops_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> same_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> dominators_;
  llvm::DenseMap<const llvm::Loop*, std::unique_ptr<Level>> levels_;
};

class SubGroupFlowAnalysis : public llvm::AnalysisInfoMixin<SubGroupFlowAnalysis> {
 public:
  using Result = SubGroupFlow;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<SubGroupFlowAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
