// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/tile_fills.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/index_bounds.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include <limits>
#include <utility>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;
constexpr std::size_t kMostCopied = 48;   ///< Most instructions that compute one element
constexpr std::size_t kMostCopies = 1200; ///< Most instructions for all elements that are read

/// An interval with both ends included.
struct Range {
  std::int64_t least, most;
};

} // namespace

class TileFills::Finder {
 public:
  Finder(Function& kernel, Accesses& accesses, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel), accesses_(accesses), layout_(kernel.getDataLayout()),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel)) {
    const WorkItemUniformity uniformity(kernel);
    for (const Instruction& instruction : llvm::instructions(kernel))
      if (uniformity.isUniform(instruction)) uniform_.insert(&instruction);
  }

  std::optional<LocalSize> find() {
    const llvm::ReversePostOrderTraversal<const Function*> order(&kernel_);
    if (llvm::containsIrreducibleCFG<const BasicBlock*>(order, loops_))
      return std::nullopt; // LoopInfo does not know irreducible loops.
    fills_.reserve(accesses_.tiles.size());
    for (auto& [memory, tile] : accesses_.tiles)
      if (!findFill(tile)) return std::nullopt;
    for (std::uint64_t& count : size_)
      count = std::max<std::uint64_t>(count, 1);
    if (!isOfSize() || !findReads()) return std::nullopt;
    return size_;
  }

  const std::vector<TileFill>& fills() const { return fills_; }
  const std::vector<TileRead>& reads() const { return reads_; }
  bool isUniform(const Instruction& instruction) const { return uniform_.contains(&instruction); }
  void keepRanges() { isChanged_ = true; }

  std::optional<TileFills::Split> divide(const AffineForm& offset, std::int64_t by, const BasicBlock& at) {
    TileFills::Split split;
    for (const AffineForm::Term& term : offset.terms)
      if (term.scale % by == 0)
        split.quotient.add({term.value, term.scale / by});
      else
        split.remainder.add(term);
    const auto range = rangeOf(split.remainder, at);
    if (!range) return std::nullopt;
    const std::int64_t least = range->least + offset.constant, most = range->most + offset.constant;
    const std::int64_t whole = least >= 0 ? least / by : -((by - 1 - least) / by);
    if (most - whole * by >= by) return std::nullopt;
    split.quotient.constant = whole;
    split.remainder.constant = offset.constant - whole * by;
    return split;
  }

 private:
  /// Whether a work-item's first element has the number of the work-item in its row or group, and the step is the
  /// number of work-items there.
  bool isFirstIndex(Value& first, std::int64_t step) {
    const AffineForm offset = affineFormOf(first, {.wrapping = AffineOptions::Wrapping::None});
    if (offset.constant != 0 || step <= 0) return false;
    std::int64_t others = 0;
    unsigned column = 3, other = 3;
    for (const AffineForm::Term& term : offset.terms) {
      const auto call = matchIntrinsic(term.value);
      if (!call || call->intrinsic != Intrinsic::LocalId || term.scale <= 0) return false;
      unsigned& dimension = term.scale == 1 ? column : other;
      if (dimension != 3) return false;
      dimension = call->dimension;
      if (term.scale != 1) others = term.scale;
    }
    if (column == 3) return false;
    if (other == 3) return setSize(column, step);
    return step % others == 0 && column == 0 && other == 1 && setSize(column, others) && setSize(other, step / others);
  }

  /// Records the local size in a dimension; false if it contradicts an earlier one.
  bool setSize(unsigned dimension, std::int64_t count) {
    if (size_[dimension] != 0 && size_[dimension] != static_cast<std::uint64_t>(count)) return false;
    size_[dimension] = static_cast<std::uint64_t>(count);
    usedBySide_ |= 1U << dimension;
    return true;
  }

  /// The step of an element index that is an induction variable of the loop; null for other variables.
  static const llvm::ConstantInt* stepOf(llvm::PHINode& index, const llvm::Loop& loop) {
    if (index.getParent() != loop.getHeader() || !isIndexType(*index.getType())) return nullptr;
    const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(index.getIncomingValueForBlock(loop.getLoopLatch()));
    if (next == nullptr || next->getOpcode() != Instruction::Add || next->getOperand(0) != &index) return nullptr;
    return llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
  }

  /// Matches `for (index = first; index < count; index += step)` without other exits. The loop may also be counted by
  /// another variable.
  std::optional<TileSide> findSide(llvm::PHINode& index, std::int64_t bytes) {
    llvm::Loop* loop = loops_.getLoopFor(index.getParent());
    if (loop == nullptr || loop->getHeader() != index.getParent() || loop->getLoopPredecessor() == nullptr ||
        loop->getLoopLatch() == nullptr || loop->getExitingBlock() != loop->getHeader())
      return std::nullopt;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(loop->getHeader()->getTerminator());
    const auto* comparison = branch == nullptr ? nullptr : llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    auto* counter = comparison == nullptr ? nullptr : llvm::dyn_cast<llvm::PHINode>(comparison->getOperand(0));
    const llvm::ConstantInt* step = stepOf(index, *loop);
    if (counter == nullptr || step == nullptr || step->isZero() || stepOf(*counter, *loop) != step) return std::nullopt;
    const auto* bound = llvm::dyn_cast<llvm::ConstantInt>(comparison->getOperand(1));
    if (bound == nullptr || bound->getValue().ugt(kMostTileElements) || step->getValue().ugt(kMostTileElements))
      return std::nullopt;
    // Such a loop has the same trip count for all work-items.
    const auto* from = llvm::dyn_cast<llvm::ConstantInt>(counter->getIncomingValueForBlock(loop->getLoopPredecessor()));
    if (counter != &index && (from == nullptr || !from->isZero() || bound->getValue().urem(step->getValue()) != 0))
      return std::nullopt;
    const bool staysIfTrue = loop->contains(branch->getSuccessor(0));
    const auto predicate = staysIfTrue ? comparison->getPredicate() : comparison->getInversePredicate();
    const bool isBelow = predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_SLT;
    if (!isBelow || !isFirstIndex(*index.getIncomingValueForBlock(loop->getLoopPredecessor()), step->getSExtValue()))
      return std::nullopt;
    return TileSide{&index, loop, bytes, bound->getSExtValue()};
  }

  /// Matches a dimension that is filled by local ids. It has as many elements as work-items, apart from a last column
  /// that may be padding against bank conflicts on GPUs.
  std::optional<TileSide> findIdSide(Value& variable, std::int64_t bytes, std::int64_t rowBytes, const Tile& tile) {
    const auto call = matchIntrinsic(&variable);
    const auto element = static_cast<std::int64_t>(tile.elementBytes);
    if (!call || call->intrinsic != Intrinsic::LocalId || bytes != element || rowBytes == element) return std::nullopt;
    const std::int64_t columns = rowBytes / element, items = columns % 4 == 0 ? columns : columns - 1;
    if (items <= 0 || !setSize(call->dimension, items)) return std::nullopt;
    return TileSide{&variable, nullptr, bytes, items};
  }

  bool findFill(Tile& tile) {
    if (tile.store == nullptr || tile.store->getValueOperand()->getType() != tile.element) return false;
    const auto offset = offsetInTile(*tile.store->getPointerOperand(), layout_);
    if (!offset || offset->constant != 0 || offset->terms.empty() || offset->terms.size() > 2) return false;
    TileFill fill{tile.store, {}, nullptr, {}};
    usedBySide_ = 0;
    std::int64_t rowBytes = 0;
    for (const AffineForm::Term& term : offset->terms)
      rowBytes = std::max(rowBytes, term.scale);
    for (const AffineForm::Term& term : offset->terms) {
      auto* index = llvm::dyn_cast<llvm::PHINode>(term.value);
      const unsigned before = std::exchange(usedBySide_, 0);
      const auto side =
          index != nullptr ? findSide(*index, term.scale) : findIdSide(*term.value, term.scale, rowBytes, tile);
      if (!side || (before & usedBySide_) != 0) return false;
      usedBySide_ |= before;
      fill.sides.push_back(*side);
    }
    llvm::sort(fill.sides, [](const TileSide& one, const TileSide& other) { return one.bytes > other.bytes; });
    const TileSide& last = fill.sides.back();
    if (last.bytes != static_cast<std::int64_t>(tile.elementBytes) ||
        (fill.sides.size() == 2 && last.bytes * last.count > fill.sides.front().bytes))
      return false;
    return findNest(fill) && (fills_.push_back(std::move(fill)), true);
  }

  /// Whether the loops are nested and have no other effects.
  bool findNest(TileFill& fill) {
    llvm::Loop* inner = loops_.getLoopFor(fill.store->getParent());
    const auto isSide = [&](const llvm::Loop* loop) {
      return llvm::any_of(fill.sides, [&](const TileSide& side) { return side.loop == loop; });
    };
    if (inner == nullptr || !isSide(inner)) return false;
    const TileSide &first = fill.sides.front(), &last = fill.sides.back();
    if (fill.sides.size() == 2 && first.loop == last.loop) return false;
    fill.outermost = inner;
    if (!dominators_.dominates(fill.store->getParent(), inner->getLoopLatch())) return false;
    if (fill.sides.size() == 2 && first.loop != nullptr && last.loop != nullptr) {
      fill.outermost = inner->getParentLoop();
      if (fill.outermost == nullptr || !isSide(fill.outermost) ||
          !dominators_.dominates(inner->getHeader(), fill.outermost->getLoopLatch()))
        return false;
    }
    if (fill.outermost->getExitBlock() == nullptr) return false;
    for (BasicBlock* block : fill.outermost->blocks()) {
      const llvm::Loop* loop = loops_.getLoopFor(block);
      if (loop != inner && loop != fill.outermost) return false;
      for (const Instruction& instruction : *block) {
        if (instruction.mayWriteToMemory() && &instruction != fill.store) return false;
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load != nullptr && load->getPointerAddressSpace() == kLocalSpace) return false;
      }
    }
    // Values of the loop must not be used outside it.
    for (const BasicBlock* block : fill.outermost->blocks())
      for (const Instruction& instruction : *block)
        for (const llvm::User* user : instruction.users())
          if (!fill.outermost->contains(llvm::cast<Instruction>(user))) return false;
    return findBlocks(fill, *inner);
  }

  bool findBlocks(TileFill& fill, const llvm::Loop& inner) {
    llvm::SmallPtrSet<BasicBlock*, 8> found = {fill.store->getParent()};
    llvm::SmallVector<BasicBlock*, 8> work = {fill.store->getParent()};
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (block == inner.getHeader()) return false;
      fill.blocks.push_back(block);
      for (BasicBlock* before : llvm::predecessors(block)) {
        if (!inner.contains(before)) return false; // The block is unreachable.
        if (before == inner.getHeader() && (block->getSinglePredecessor() == nullptr || !block->phis().empty()))
          return false;
        if (before != inner.getHeader() && found.insert(before).second) work.push_back(before);
      }
    }
    std::size_t instructions = 0;
    for (BasicBlock* block : fill.blocks) {
      instructions += block->size();
      const auto isInside = [&](BasicBlock* next) { return found.contains(next); };
      if (block != fill.store->getParent() && !llvm::all_of(llvm::successors(block), isInside)) return false;
    }
    return instructions <= kMostCopied;
  }

  /// Whether the local size is suitable for rows and agrees with the required one, if any.
  bool isOfSize() const {
    if (size_[0] % 4 != 0 || size_[2] != 1 ||
        llvm::any_of(size_, [](std::uint64_t count) { return count > kLongestSide; }))
      return false;
    return requiredSizes(kernel_).value_or(size_) == size_;
  }

  /// Range, inside the loop, of an affine recurrence with constant start and step in a loop with known trip count.
  std::optional<Range> rangeInLoop(const llvm::SCEV& expression, const BasicBlock& at) {
    const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(&expression);
    if (steps == nullptr || !steps->isAffine()) return std::nullopt;
    const llvm::Loop* loop = steps->getLoop();
    const auto* first = llvm::dyn_cast<llvm::SCEVConstant>(steps->getStart());
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(steps->getStepRecurrence(evolution_));
    if (first == nullptr || step == nullptr || !loop->contains(&at) || loop->getHeader() == &at) return std::nullopt;
    const auto* trips = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getExitCount(loop, loop->getHeader()));
    if (trips == nullptr || trips->getAPInt().ugt(kMostTileElements) || trips->isZero() ||
        first->getAPInt().abs().ugt(kMostTileElements) || step->getAPInt().abs().ugt(kMostTileElements))
      return std::nullopt;
    const std::int64_t from = first->getAPInt().getSExtValue();
    const std::int64_t to = from + step->getAPInt().getSExtValue() * (trips->getAPInt().getSExtValue() - 1);
    return Range{std::min(from, to), std::max(from, to)};
  }

  /// Range of an index variable at a block, in the unchanged kernel.
  std::optional<Range> rangeOf(Value& variable, const BasicBlock& at) {
    if (const auto known = ranges_.find({&variable, &at}); known != ranges_.end()) return known->second;
    if (isChanged_) return std::nullopt;
    return ranges_[{&variable, &at}] = computeRange(variable, at);
  }

  std::optional<Range> computeRange(Value& variable, const BasicBlock& at) {
    if (const auto call = matchIntrinsic(&variable); call && call->intrinsic == Intrinsic::LocalId)
      return Range{0, static_cast<std::int64_t>(size_[call->dimension]) - 1};
    // Loads from tiles will be removed.
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&variable);
    if (!isIndexType(*variable.getType()) || (load != nullptr && load->getPointerAddressSpace() == kLocalSpace))
      return std::nullopt;
    const llvm::SCEV* expression = evolution_.getSCEV(&variable);
    if (const auto range = rangeInLoop(*expression, at)) return range;
    const llvm::ConstantRange range = evolution_.getSignedRange(expression);
    const llvm::APInt least = range.getSignedMin(), most = range.getSignedMax();
    if (least.slt(-kMostTileElements) || most.sgt(kMostTileElements)) return std::nullopt;
    return Range{least.getSExtValue(), most.getSExtValue()};
  }

  /// Range of a sum whose terms all fit into 32 bits.
  std::optional<Range> rangeOf(const AffineForm& offset, const BasicBlock& at) {
    Range sum{offset.constant, offset.constant};
    std::int64_t all = magnitude(offset.constant);
    for (const AffineForm::Term& term : offset.terms) {
      const auto range = rangeOf(*term.value, at);
      if (!range || magnitude(term.scale) > kMostTileElements) return std::nullopt;
      const std::int64_t one = range->least * term.scale, other = range->most * term.scale;
      sum.least += std::min(one, other);
      sum.most += std::max(one, other);
      all += std::max(magnitude(one), magnitude(other));
    }
    if (all > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return sum;
  }

  bool isWithin(const AffineForm& index, std::int64_t count, const BasicBlock& at) {
    const auto range = rangeOf(index, at);
    return range && range->least >= 0 && range->most < count;
  }

  bool findReads() {
    std::size_t copied = 0, tiles = 0;
    for (auto& [memory, tile] : accesses_.tiles) {
      const TileFill& fill = fills_[tiles++];
      for (llvm::LoadInst* load : tile.loads) {
        if (!isReadAfter(*load, fill)) return false;
        auto offset = offsetInTile(*load->getPointerOperand(), layout_);
        if (!offset) return false;
        TileRead read{load, load->getParent(), &fill, {}};
        if (fill.sides.size() == 2) {
          const auto split = divide(*offset, fill.sides.front().bytes, *load->getParent());
          if (!split || !isWithin(split->quotient, fill.sides.front().count, *load->getParent())) return false;
          read.indices.push_back(split->quotient);
          offset = split->remainder;
        }
        const auto split = divide(*offset, fill.sides.back().bytes, *load->getParent());
        if (!split || !split->remainder.terms.empty() || split->remainder.constant != 0 ||
            !isWithin(split->quotient, fill.sides.back().count, *load->getParent()))
          return false;
        read.indices.push_back(split->quotient);
        reads_.push_back(std::move(read));
        for (const BasicBlock* block : fill.blocks)
          copied += block->size();
      }
    }
    return copied <= kMostCopies;
  }

  /// Whether the load comes after the fill, in the same iteration of the surrounding loop, if there is one; a barrier
  /// separates it from the next iteration.
  bool isReadAfter(const llvm::LoadInst& load, const TileFill& fill) const {
    const llvm::Loop* around = fill.outermost->getParentLoop();
    if (fill.outermost->contains(&load) || !dominators_.dominates(fill.outermost->getHeader(), load.getParent()))
      return false;
    return around == nullptr || (around->contains(&load) && accesses_.hasBarrierIn(*around, loops_, dominators_));
  }

  Function& kernel_;
  Accesses& accesses_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree& dominators_; ///< dominators of the unchanged kernel
  llvm::LoopInfo& loops_;           ///< loops of the unchanged kernel
  llvm::ScalarEvolution& evolution_;
  llvm::SmallPtrSet<const Instruction*, 32> uniform_; ///< uniform instructions of the unchanged kernel
  LocalSize size_{};
  unsigned usedBySide_ = 0; ///< a bit for each dimension
  bool isChanged_ = false;  ///< The kernel has changed, and analyses are out of date.
  llvm::DenseMap<std::pair<const Value*, const BasicBlock*>, std::optional<Range>> ranges_;
  std::vector<TileFill> fills_;
  std::vector<TileRead> reads_;
};

TileFills::TileFills(Function& kernel, Accesses& accesses, llvm::FunctionAnalysisManager& analyses)
    : finder_(std::make_unique<Finder>(kernel, accesses, analyses)) {}
TileFills::~TileFills() = default;

std::optional<LocalSize> TileFills::find() { return finder_->find(); }
const std::vector<TileFill>& TileFills::fills() const { return finder_->fills(); }
const std::vector<TileRead>& TileFills::reads() const { return finder_->reads(); }
bool TileFills::isUniform(const Instruction& instruction) const { return finder_->isUniform(instruction); }
void TileFills::keepRanges() { finder_->keepRanges(); }

std::optional<TileFills::Split> TileFills::divide(const AffineForm& sum, std::int64_t by, const BasicBlock& at) {
  return finder_->divide(sum, by, at);
}

} // namespace clotho::compiler
