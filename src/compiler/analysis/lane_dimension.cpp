// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/lane_dimension.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/division.hpp"
#include "compiler/analysis/lane_shape.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <array>
#include <optional>

namespace clotho::compiler {
namespace {

/// Lanes of a usual vector. Larger numbers would only make gathers look worse.
constexpr std::uint64_t kLanes = 16;
/// Shortest period for which an index modulo the period has its usual stride in most vectors.
constexpr std::uint64_t kLongPeriod = 16;
/// Largest stride, in elements, for which an access is not a gather.
constexpr std::uint64_t kMostElementsApart = 8;

bool isId(const llvm::Value* value, unsigned dimension) {
  return isIntrinsic(value, Intrinsic::LocalId, dimension) || isIntrinsic(value, Intrinsic::GlobalId, dimension);
}

/// Shape in most vectors of a value that has either of two shapes.
LaneShape either(LaneShape one, LaneShape other) {
  if (one.isUniform() && other.isAffine()) return other;
  if (other.isUniform() && one.isAffine()) return one;
  return one.meet(other);
}

/// How values differ between work-items that are neighbours along one dimension.
class NeighbourShapes {
 public:
  NeighbourShapes(llvm::Function& kernel, unsigned dimension)
      : layout_(kernel.getDataLayout()), uniformity_(kernel, UniformityScope::SubGroup, dimension),
        dimension_(dimension) {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&kernel);
    // Shapes only descend in the lattice, at most three times each, so this ends.
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::BasicBlock* block : order)
        for (const llvm::Instruction& instruction : *block)
          if (!instruction.getType()->isVoidTy()) changed |= update(instruction);
    }
  }

  LaneShape of(const llvm::Value* value) const {
    if (!llvm::isa<llvm::Instruction>(value)) return LaneShape::uniform();
    return shapes_.lookup(value);
  }
  bool hasDivergentBranch(const llvm::BasicBlock& block) const { return uniformity_.hasDivergentBranch(block); }

 private:
  bool update(const llvm::Instruction& instruction) {
    LaneShape& shape = shapes_[&instruction];
    const LaneShape before = shape;
    const LaneShape next = uniformity_.isUniformValue(instruction) ? LaneShape::uniform() : compute(instruction);
    shape = next;
    if (!llvm::isa<llvm::PHINode>(instruction)) return false;
    shape = before.isUnknown() ? next : either(before, next);
    return shape != before;
  }

  LaneShape compute(const llvm::Instruction& instruction) const {
    if (isId(&instruction, dimension_)) return LaneShape::affine(1);
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      LaneShape shape = LaneShape::unknown();
      for (const llvm::Value* value : phi->incoming_values())
        shape = either(shape, of(value));
      return shape;
    }
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return either(of(select->getTrueValue()), of(select->getFalseValue()));
    if (const auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction))
      return either(of(bound->getLHS()), of(bound->getRHS()));
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&instruction)) return shapeOfAddress(*address);
    if (llvm::isa<llvm::TruncInst, llvm::SExtInst, llvm::ZExtInst, llvm::FreezeInst, llvm::AddrSpaceCastInst,
                  llvm::PtrToIntInst, llvm::IntToPtrInst>(instruction))
      return of(instruction.getOperand(0));
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
      if (operation->getType()->isIntegerTy()) return shapeOfSum(*operation);
    return LaneShape::varying();
  }

  LaneShape shapeOfSum(const llvm::BinaryOperator& operation) const {
    const LaneShape left = of(operation.getOperand(0)), right = of(operation.getOperand(1));
    const std::optional<std::int64_t> factor = numberOf(operation.getOperand(1));
    switch (operation.getOpcode()) {
    case llvm::Instruction::Add: return left.plus(right);
    case llvm::Instruction::Sub: return left.minus(right);
    case llvm::Instruction::Or:
      if (llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint()) return left.plus(right);
      break;
    case llvm::Instruction::Xor:
      if (factor == -1) return left.times(-1); // The operation is -1 - x.
      break;
    case llvm::Instruction::Mul:
      if (factor) return left.times(*factor);
      if (const auto other = numberOf(operation.getOperand(0))) return right.times(*other);
      break;
    case llvm::Instruction::Shl:
      if (factor && *factor >= 0 && *factor < 30) return left.times(std::int64_t{1} << *factor);
      break;
    default: break;
    }
    // If the divisor is large or unknown, neighbouring work-items mostly have the same quotient, and their remainders
    // differ as their dividends do.
    if (const auto division = matchDivision(operation); division && right.isUniform()) {
      const auto period = division->divisor == nullptr ? std::optional(static_cast<std::int64_t>(division->constant))
                                                       : numberOf(division->divisor);
      const bool isLong = !period || *period >= static_cast<std::int64_t>(kLongPeriod);
      if (isLong && division->isRemainder()) return left;
      if (isLong && division->result == Division::Result::Quotient && left.isAffine()) return LaneShape::uniform();
    }
    return left.isUnknown() || right.isUnknown() ? LaneShape::unknown() : LaneShape::varying();
  }

  /// A constant, or a local size that the kernel requires.
  static std::optional<std::int64_t> numberOf(const llvm::Value* value) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return constant->getValue().trySExtValue();
    if (llvm::isa<llvm::TruncInst, llvm::SExtInst, llvm::ZExtInst>(value))
      return numberOf(llvm::cast<llvm::CastInst>(value)->getOperand(0));
    const auto call = matchIntrinsic(value);
    if (!call || (call->intrinsic != Intrinsic::LocalSize && call->intrinsic != Intrinsic::EnqueuedSize))
      return std::nullopt;
    return requiredSize(*llvm::cast<llvm::CallInst>(value)->getFunction(), call->dimension);
  }

  LaneShape shapeOfAddress(const llvm::GEPOperator& address) const {
    const unsigned bits = layout_.getIndexTypeSizeInBits(address.getType());
    llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> indices;
    llvm::APInt constant(bits, 0);
    if (address.getType()->isVectorTy() || !address.collectOffset(layout_, bits, indices, constant))
      return LaneShape::varying();
    LaneShape shape = of(address.getPointerOperand());
    for (const auto& [index, scale] : indices)
      shape = shape.plus(of(index).times(scale.getSExtValue()));
    return shape;
  }

  const llvm::DataLayout& layout_;
  const WorkItemUniformity uniformity_;
  const unsigned dimension_;
  llvm::DenseMap<const llvm::Value*, LaneShape> shapes_;
};

/// Vector operations for one access of each work-item. For a gather, each lane's address is extracted from a vector, or
/// its value inserted into one.
std::uint64_t accessesFor(LaneShape address, std::uint64_t bytes, std::uint64_t lanes) {
  const std::uint64_t apart = lanes > 1 ? 2 * lanes : 1;
  if (!address.isAffine()) return apart;
  const auto stride = static_cast<std::uint64_t>(magnitude(address.stride()));
  const std::uint64_t elements = llvm::divideCeil(stride, std::max<std::uint64_t>(bytes, 1));
  return elements > kMostElementsApart ? apart : std::clamp<std::uint64_t>(elements, 1, lanes);
}

/// Estimated number of executions: a fixed factor for each level of loops.
std::uint64_t weightOf(const llvm::BasicBlock& block, const llvm::LoopInfo& loops) {
  constexpr unsigned kDepthLimit = 3;
  return std::uint64_t{1} << (3 * std::min(loops.getLoopDepth(&block), kDepthLimit));
}

struct Along {
  /// Vector operations for all accesses to memory. Private memory is not counted: it is laid out as lanes need it.
  std::uint64_t accesses = 0;
  /// Whether there can be only one work-item along the dimension: several would race, since all store to one address.
  bool isOne = false;
};

Along lookAlong(llvm::Function& kernel, unsigned dimension, std::uint64_t lanes,
                llvm::FunctionAnalysisManager& analyses) {
  const NeighbourShapes shapes(kernel, dimension);
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(kernel);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(kernel);
  const auto& postDominators = analyses.getResult<llvm::PostDominatorTreeAnalysis>(kernel);
  const llvm::DataLayout& layout = kernel.getDataLayout();
  const auto isForSome = [&](const llvm::BasicBlock& block) {
    return llvm::any_of(kernel, [&](const llvm::BasicBlock& branch) {
      return shapes.hasDivergentBranch(branch) && dominators.dominates(&branch, &block) &&
             !postDominators.dominates(&block, &branch);
    });
  };
  Along result;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr || llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer))) continue;
    const LaneShape address = shapes.of(pointer);
    const std::uint64_t bytes = layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getKnownMinValue();
    result.accesses += weightOf(*instruction.getParent(), loops) * accessesFor(address, bytes, lanes);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && store->isSimple() && address.isUniform() &&
        !shapes.of(store->getValueOperand()).isUniform() && !isForSome(*store->getParent()))
      result.isOne = true;
  }
  return result;
}

/// Work-items along each dimension, at most kLanes: from the required or hinted local size, or kLanes.
std::array<std::uint64_t, 3> lanesOf(const llvm::Function& kernel) {
  std::array<std::uint64_t, 3> lanes{kLanes, kLanes, kLanes};
  for (unsigned i = 0; i < 3; ++i)
    if (const auto size = requiredSize(kernel, i)) lanes[i] = std::clamp<std::uint64_t>(*size, 1, kLanes);
  return lanes;
}

} // namespace

unsigned chooseLaneDimension(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  std::array<bool, 3> isAsked{};
  for (const llvm::Instruction& instruction : llvm::instructions(kernel))
    for (unsigned i = 0; i < 3; ++i)
      isAsked[i] = isAsked[i] || isId(&instruction, i);
  if (!isAsked[1] && !isAsked[2]) return 0;
  const std::array<std::uint64_t, 3> lanes = lanesOf(kernel);
  unsigned best = 0;
  const Along first = lookAlong(kernel, 0, lanes[0], analyses);
  std::uint64_t fewest = first.accesses;
  // The accesses along a dimension of size one were counted for one lane.
  bool mustBeHalf = isAsked[0] && (lanes[0] == 1 || !first.isOne);
  for (unsigned i = 1; i < 3; ++i) {
    if (!isAsked[i] || lanes[i] == 1) continue;
    const Along other = lookAlong(kernel, i, lanes[i], analyses);
    if (other.isOne) continue;
    const bool isBetter = (mustBeHalf ? 2 : 1) * other.accesses * lanes[best] <= fewest * lanes[i];
    if (!isBetter && (best != 0 || mustBeHalf)) continue;
    best = i;
    fewest = other.accesses;
    mustBeHalf = true;
  }
  return best;
}

} // namespace clotho::compiler
