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

/// The shape of each value of a kernel, for work-items in lanes along dimension 0. What LLVM's uniformity analysis
/// finds uniform is uniform; sums and constant multiples of get_local_id(0) are affine.
/// An affine shape holds for active lanes. If 32-bit arithmetic may wrap around between two lanes, its extension to 64
/// bits is affine only if it is used for addresses alone and facts of the launch imply that all active lanes are on the
/// same side of the wrap as the last one. So lanes with negative indices, which guards make inactive, do not turn every
/// access into a gather.
/// Needs: LCSSA form.
class LaneShapes {
 public:
  /// `mayAssume`: whether the shapes may depend on facts of the launch. `blockLanes`: the shapes hold within each block
  /// of so many lanes, a power of two to which blocks are aligned; 0: they hold for all lanes.
  LaneShapes(llvm::Function& function, const WorkItemUniformity& uniformity, const SubGroupFlow& flow,
             bool mayAssume = true, unsigned blockLanes = 0);
  /// The result refers to SubGroupFlow and is invalid without it.
  bool invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                  llvm::FunctionAnalysisManager::Invalidator& invalidator);

  LaneShape of(const llvm::Value* value) const;
  /// Estimated stride of a varying value in most sub-groups. Covers affine values that are clamped, selected against a
  /// uniform value, XORed with a uniform value, or converted to float, perhaps scaled, and back. Nothing if there is no
  /// such stride.
  std::optional<std::int64_t> usualStride(const llvm::Value* value) const { return usualStride(value, 0); }
  /// Whether lane i has lane 0's value plus i times a uniform value, which need not be constant, if all lanes are
  /// active: the address of row i of a matrix, say.
  bool isLinear(const llvm::Value* value) const { return isLinear(value, 0); }
  /// Whether the lanes of an affine zero extension must be computed from the last lane instead of lane 0. The narrow
  /// value may wrap around between an inactive lane 0 and the active lanes, but with a positive stride not between
  /// these and the last lane.
  bool isToldByLastLane(const llvm::CastInst& extension) const;
  /// Facts of the launch on which the shapes depend.
  const LaunchFacts& facts() const { return facts_; }
  /// Whether all lanes of the sub-group run the block.
  bool isRunByAllLanes(const llvm::BasicBlock& block) const;
  /// Whether LLVM's uniform values depend only on values that are uniform here. LLVM treats divergent loop exits by
  /// rules of its own; where the analyses disagree, neither can be relied on.
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
  llvm::DenseMap<const llvm::Value*, LaneShape> shapes_; ///< Shapes of instructions; others are uniform
};

/// Whether the extension of an affine value is affine if these truncated global ids fit into 32 bits, and into ints.
/// `promised` is set if that depends on poison-generating flags, which need not hold in a lane whose result is not
/// used.
bool isExactIfIdsFit(const LaneShapes& shapes, const llvm::CastInst& extension,
                     llvm::SmallVectorImpl<const llvm::TruncInst*>& ids, bool& promised);

/// Lane shapes that may depend on facts of the launch.
class LaneShapesAnalysis : public llvm::AnalysisInfoMixin<LaneShapesAnalysis> {
 public:
  using Result = LaneShapes;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<LaneShapesAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
