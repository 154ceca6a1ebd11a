// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/index_bounds.hpp"
#include "compiler/analysis/lane_shape.hpp"
#include "compiler/analysis/sub_group_flow.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// The shape of each value of a kernel, for work-items in lanes along dimension 0: what LLVM's uniformity analysis
/// finds uniform is, and of the rest, sums and constant multiples of get_local_id(0) are affine.
/// An affine shape holds for the lanes that are active. Where arithmetic of 32 bits may wrap around between two lanes,
/// a conversion to 64 bits is affine only if it serves addresses alone, and if it follows from facts of the launch that
/// no lane which is active is on the other side of the wrap than the last one. Lanes below zero, which guards make
/// inactive, then do not turn every index into a gather.
/// Needs: LCSSA form.
class LaneShapes {
 public:
  /// `mayAssume`: whether the shapes may depend on facts of the launch. `blockLanes`: the shapes hold within each block
  /// of so many lanes, a power of two, the first of which is a multiple of that; 0: they hold for all lanes.
  LaneShapes(llvm::Function& function, const WorkItemUniformity& uniformity, const SubGroupFlow& flow,
             bool mayAssume = true, unsigned blockLanes = 0);
  /// As LLVM asks: they refer to the flow.
  bool invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                  llvm::FunctionAnalysisManager::Invalidator& invalidator);

  LaneShape of(const llvm::Value* value) const;
  /// The stride that a varying value has in most sub-groups, by the looks of it: an affine value clamped to a range,
  /// chosen over a uniform one, with bits flipped that all lanes share, or on its way through floats that may be scaled
  /// back to what they were. Nothing when there is none.
  std::optional<std::int64_t> usualStride(const llvm::Value* value) const { return usualStride(value, 0); }
  /// Lane i has lane 0's value plus i times something that all lanes share, though perhaps no constant, if all lanes
  /// are active: the beginning of row i of a matrix.
  bool isLinear(const llvm::Value* value) const { return isLinear(value, 0); }
  /// Whether the values of an affine zero extension must be computed from the last lane's. Lane 0, if it is not active,
  /// may be on the other side of a wrap; with a positive stride the last lane is not. For other extensions, lane 0's
  /// value tells all others'.
  bool isToldByLastLane(const llvm::CastInst& extension) const;
  /// On which the shapes depend.
  const LaunchFacts& facts() const { return facts_; }
  /// No lane that began is missing where the block runs.
  bool isRunByAllLanes(const llvm::BasicBlock& block) const;
  /// What LLVM's analysis takes for uniform depends on nothing that here is not. It sees loops that lanes leave apart
  /// by rules of its own; where they differ, neither is to be relied on.
  bool areConsistent(const llvm::Function& function, const WorkItemUniformity& uniformity) const;

 private:
  LaneShape compute(const llvm::Instruction& instruction) const;
  std::optional<LaneShape> inBlocks(const llvm::Instruction& instruction) const;
  std::optional<std::int64_t> usualStride(const llvm::Value* value, unsigned depth) const;
  std::optional<std::int64_t> usualStrideOfFloat(const llvm::Value* value, unsigned depth, unsigned steps) const;
  bool isLinear(const llvm::Value* value, unsigned depth) const;
  LaneShape computePhi(const llvm::PHINode& phi) const;
  bool mayPartOnTheWay(const llvm::BasicBlock* from, const llvm::BasicBlock& to) const;
  bool isReachedTogether(const llvm::BasicBlock& block) const;
  LaneShape computeExtension(const llvm::CastInst& extension) const;
  bool isExactExtension(const llvm::CastInst& extension) const;
  std::optional<LaunchFacts> factsFor(const llvm::CastInst& extension) const;

  const llvm::DataLayout& layout_;
  const SubGroupFlow& flow_;
  const bool mayAssume_;
  const unsigned blockLanes_;
  LaunchFacts facts_;
  llvm::DominatorTree dominators_;
  llvm::DenseMap<const llvm::Value*, LaneShape> shapes_; ///< of instructions that are not uniform
};

/// Whether the extension of an affine value is affine if these truncated global ids fit into 32 bits, and into ints.
/// `promised` is set if that rests on what the kernel promises of its arithmetic. A lane may break such a promise if
/// its result is not used.
bool isExactIfIdsFit(const LaneShapes& shapes, const llvm::CastInst& extension,
                     llvm::SmallVectorImpl<const llvm::TruncInst*>& ids, bool& promised);

/// With shapes that may depend on facts of the launch.
class LaneShapesAnalysis : public llvm::AnalysisInfoMixin<LaneShapesAnalysis> {
 public:
  using Result = LaneShapes;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<LaneShapesAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
