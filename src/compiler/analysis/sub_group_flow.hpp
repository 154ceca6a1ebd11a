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

/// How a kernel's control flow is taken by the lanes of a sub-group together: in which order blocks are laid out where
/// lanes part, which loops their lanes leave in different rounds, and which blocks are executed by the same lanes as
/// an earlier one. Knows the ground of partial linearisation (Moll and Hack, PLDI 2018).
/// Needs: reducible flow in LoopSimplify and LCSSA form, no critical edges, no switch, one return.
class SubGroupFlow {
 public:
  SubGroupFlow(llvm::Function& function, const llvm::LoopInfo& loops, const WorkItemUniformity& uniformity);
  SubGroupFlow(SubGroupFlow&&) noexcept;
  ~SubGroupFlow();
  /// As LLVM asks: it refers to the loops and to what is uniform.
  bool invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                  llvm::FunctionAnalysisManager::Invalidator& invalidator);

  /// Topological but for the ways back in loops; the blocks of a loop are together, and so is what a block dominates
  /// among the blocks and inner loops of one loop.
  llvm::ArrayRef<llvm::BasicBlock*> order() const { return order_; }
  unsigned indexOf(const llvm::BasicBlock* block) const { return index_.lookup(block); }

  /// Lanes may take different ways at the block's end.
  bool parts(const llvm::BasicBlock& block) const { return parts_.contains(&block); }
  /// Lanes may leave the loop in different rounds, or to different places.
  bool isDivergent(const llvm::Loop& loop) const { return divergentLoops_.contains(&loop); }
  /// Blocks to which lanes go from a divergent loop.
  llvm::SmallVector<llvm::BasicBlock*, 4> exitsOf(const llvm::Loop& loop) const;
  /// An earlier block that the same lanes execute (when it is a loop's header, in the same round); null when the
  /// block's lanes must be found from its predecessors.
  llvm::BasicBlock* sameLanesAs(const llvm::BasicBlock& block) const { return same_.lookup(&block); }

  /// The nearest block directly in the same loop that all lanes of the block, which is no loop's header, come by.
  llvm::BasicBlock* dominatorOf(const llvm::BasicBlock& block) const { return dominators_.lookup(&block); }

  bool isLoopHeader(const llvm::BasicBlock* block) const;
  /// The phi takes a value out of a divergent loop: each lane has its own round's.
  bool leavesDivergently(const llvm::PHINode& phi) const;
  /// The edge leaves a divergent loop, perhaps among others.
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
