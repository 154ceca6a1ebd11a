// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/array_registers.hpp"

#include "compiler/ir/vector_lanes.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <vector>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// Sources of one shuffle instruction.
constexpr std::size_t kMostSources = 2;

/// Strips conjuncts from `mask` that are true for all accessed lanes.
Value* withoutKnown(Value* mask, llvm::ArrayRef<std::int64_t> offsets) {
  using namespace llvm::PatternMatch;
  const auto isTrue = [&](const llvm::Constant& known) {
    return llvm::all_of(llvm::enumerate(offsets), [&](const auto& each) {
      const llvm::Constant* lane = known.getAggregateElement(static_cast<unsigned>(each.index()));
      return each.value() < 0 || (lane != nullptr && lane->isOneValue());
    });
  };
  llvm::Constant* known = nullptr;
  Value* other = nullptr;
  while (match(mask, m_c_LogicalAnd(m_Constant(known), m_Value(other))) && isTrue(*known))
    mask = other;
  return mask;
}

/// The comparison that computes a lane of a mask, possibly negated.
struct Comparison {
  const llvm::ICmpInst* order;
  int lane;
  bool isNegated;
};

std::optional<Comparison> comparisonOf(Value* mask, int lane) {
  using namespace llvm::PatternMatch;
  bool isNegated = false;
  llvm::Constant* known = nullptr;
  Value* other = nullptr;
  const auto knownBit = [&] {
    return llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(static_cast<unsigned>(lane)));
  };
  for (;;) {
    if (const auto* order = llvm::dyn_cast<llvm::ICmpInst>(mask)) return Comparison{order, lane, isNegated};
    if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(mask)) {
      const std::optional<VectorLane> from = sourceOf(*shuffle, static_cast<unsigned>(lane));
      if (!from) return std::nullopt;
      mask = from->vector;
      lane = static_cast<int>(from->number);
    } else if (match(mask, m_c_Xor(m_Constant(known), m_Value(other))) && knownBit() != nullptr) {
      isNegated = isNegated != knownBit()->isOne();
      mask = other;
    } else if (match(mask, m_c_LogicalAnd(m_Constant(known), m_Value(other))) && knownBit() != nullptr &&
               knownBit()->isOne()) {
      mask = other;
    } else {
      return std::nullopt;
    }
  }
}

/// A wider vector of which `vector` is every n-th lane, or the same lanes, and n; null if there is none. The values are
/// unchanged.
std::pair<Value*, int> sameLanes(Value* vector) {
  using namespace llvm::PatternMatch;
  Value* from = nullptr;
  const bool isPart = match(vector, m_Trunc(m_BitCast(m_Value(from))));
  if (!isPart && !match(vector, m_BitCast(m_BitCast(m_Value(from))))) return {nullptr, 1};
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(from->getType());
  const auto* its = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
  if (type == nullptr || its == nullptr || type->getElementType() != its->getElementType()) return {nullptr, 1};
  return {from, static_cast<int>(type->getNumElements() / its->getNumElements())}; // bytes in ascending order
}

class ArrayRegisters {
 public:
  ArrayRegisters(llvm::Argument& array, KnownAccesses accesses, unsigned registerBytes)
      : array_(array), accesses_(std::move(accesses)), lanes_(static_cast<int>(registerBytes / accesses_.unitBytes)) {}

  /// Replaces and erases all accesses.
  void run(llvm::DominatorTree& tree) {
    makeChunks();
    llvm::MapVector<llvm::BasicBlock*, llvm::SmallVector<const KnownAccess*, 16>> ofBlocks;
    for (const KnownAccess& access : accesses_.all)
      ofBlocks[access.instruction->getParent()].push_back(&access);
    for (auto& [block, own] : ofBlocks) {
      llvm::sort(own, [](const KnownAccess* a, const KnownAccess* b) {
        return a->instruction != b->instruction && a->instruction->comesBefore(b->instruction);
      });
      for (const KnownAccess* access : own) {
        if (access->isStore())
          write(*access);
        else
          read(*access);
      }
      endBlock(*block);
    }
    for (const KnownAccess& access : accesses_.all)
      access.instruction->eraseFromParent();
    llvm::PromoteMemToReg(memory_, tree);
  }

 private:
  /// Content of a lane of a register: element `number` of `vector`, which is null if no access needs the lane.
  struct Lane {
    Value* vector = nullptr;
    int number = 0;
    bool operator==(const Lane&) const = default;
  };
  using Lanes = llvm::SmallVector<Lane, 16>;
  struct Extremes {
    Value *minimum = nullptr, *maximum = nullptr;
  };
  /// Element numbers of the lanes of one register; -1: not accessed.
  using Offsets = llvm::ArrayRef<std::int64_t>;

  llvm::FixedVectorType* type() const { return llvm::FixedVectorType::get(accesses_.unit, lanes_); }

  /// Creates the registers. Their first contents are those of memory, which is zero in contexts that initialise it.
  void makeChunks() {
    llvm::IRBuilder<> builder(&*array_.getParent()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    const std::int64_t count = accesses_.end / lanes_ + (accesses_.end % lanes_ != 0);
    for (std::int64_t i = 0; i < count; ++i) {
      Value* address = builder.CreateConstGEP1_64(accesses_.unit, &array_, i * lanes_);
      Value* first = builder.CreateAlignedLoad(type(), address, llvm::Align(accesses_.unitBytes), array_.getName());
      memory_.push_back(builder.CreateAlloca(type()));
      builder.CreateStore(first, memory_.back());
    }
    chunks_.resize(static_cast<std::size_t>(count));
    isChanged_.resize(static_cast<unsigned>(count));
  }

  void endBlock(llvm::BasicBlock& block) {
    llvm::IRBuilder<> builder(block.getTerminator());
    for (const unsigned i : isChanged_.set_bits())
      builder.CreateStore(gather(builder, chunks_[i]), memory_[i]);
    isChanged_.reset();
    extremes_.clear();
    for (Lanes& chunk : chunks_)
      chunk.clear();
  }

  Lanes& chunk(llvm::IRBuilder<>& builder, std::int64_t index) {
    Lanes& chunk = chunks_[static_cast<std::size_t>(index)];
    if (chunk.empty()) {
      Value* all = builder.CreateLoad(type(), memory_[static_cast<std::size_t>(index)]);
      for (int lane = 0; lane < lanes_; ++lane)
        chunk.push_back({all, lane});
    }
    return chunk;
  }

  /// Follows a lane through shuffles and truncated wider elements to the vector that it comes from.
  static Lane origin(Value* vector, int lane) {
    for (;;) {
      if (const auto [same, step] = sameLanes(vector); same != nullptr) {
        vector = same;
        lane *= step;
        continue;
      }
      auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(vector);
      if (shuffle == nullptr) return {vector, lane};
      const std::optional<VectorLane> from = sourceOf(*shuffle, static_cast<unsigned>(lane));
      if (!from) return {vector, lane};
      vector = from->vector;
      lane = static_cast<int>(from->number);
    }
  }

  Lanes lanesAt(llvm::IRBuilder<>& builder, Offsets offsets) {
    Lanes lanes;
    for (const std::int64_t offset : offsets)
      lanes.push_back(offset < 0 ? Lane() : chunk(builder, offset / lanes_)[static_cast<std::size_t>(offset % lanes_)]);
    lanes.resize(static_cast<std::size_t>(lanes_));
    return lanes;
  }

  Value* gather(llvm::IRBuilder<>& builder, const Lanes& lanes) const {
    llvm::SmallSetVector<Value*, 8> from;
    for (const Lane& lane : lanes)
      if (lane.vector != nullptr) from.insert(lane.vector);
    if (from.empty()) return llvm::PoisonValue::get(type());
    // Joins the first two sources, then one more at a time.
    Value* made = from[0];
    for (std::size_t i = 1; i < std::max<std::size_t>(from.size(), 2); ++i) {
      Value* next = i < from.size() ? from[i] : llvm::PoisonValue::get(type());
      llvm::SmallVector<int, 64> mask(static_cast<std::size_t>(lanes_), llvm::PoisonMaskElem);
      for (const auto& [lane, its] : llvm::enumerate(lanes)) {
        if (its.vector == nullptr) continue;
        if (its.vector == next)
          mask[lane] = lanes_ + its.number;
        else if (i == 1 && its.vector == from[0])
          mask[lane] = its.number;
        else if (llvm::is_contained(from.getArrayRef().take_front(i), its.vector))
          mask[lane] = static_cast<int>(lane);
      }
      const bool isSame = llvm::ShuffleVectorInst::isIdentityMask(mask, lanes_);
      if (!isSame) made = builder.CreateShuffleVector(made, next, mask);
    }
    return made;
  }

  Value* readPart(llvm::IRBuilder<>& builder, Offsets offsets) {
    Lanes lanes = lanesAt(builder, offsets);
    llvm::SmallPtrSet<Value*, 8> from;
    for (const Lane& lane : lanes)
      if (lane.vector != nullptr) from.insert(lane.vector);
    if (from.size() > kMostSources) {
      // Assembles the registers once, for this load and for later ones.
      for (const std::int64_t offset : offsets) {
        if (offset < 0) continue;
        Lanes& its = chunks_[static_cast<std::size_t>(offset / lanes_)];
        if (llvm::all_equal(llvm::map_range(its, [](const Lane& lane) { return lane.vector; }))) continue;
        Value* whole = gather(builder, its);
        for (const auto& [lane, each] : llvm::enumerate(its))
          each = {whole, static_cast<int>(lane)};
      }
      lanes = lanesAt(builder, offsets);
    }
    return gather(builder, lanes);
  }

  void read(const KnownAccess& access) {
    llvm::IRBuilder<> builder(access.instruction);
    const int count = static_cast<int>(access.offsets.size());
    llvm::SmallVector<Value*, 8> parts;
    for (int first = 0; first < count; first += lanes_)
      parts.push_back(readPart(builder, Offsets(access.offsets).slice(first, std::min(lanes_, count - first))));
    Value* all = parts.size() == 1 ? parts.front() : llvm::concatenateVectors(builder, parts);
    const int made = static_cast<int>(parts.size()) * lanes_;
    if (count == 1) {
      all = builder.CreateExtractElement(all, std::uint64_t{0});
    } else if (made != count) {
      all = builder.CreateShuffleVector(all, llvm::createSequentialMask(0, count, 0));
    }
    all = builder.CreateBitCast(all, access.instruction->getType());
    if (Value* otherwise = access.otherwise(); otherwise != nullptr && !llvm::isa<llvm::PoisonValue>(otherwise))
      all = builder.CreateSelect(access.mask(), all, otherwise);
    access.instruction->replaceAllUsesWith(all);
  }

  /// Splits a vector with one element for each accessed unit into registers. The last one is padded with poison.
  llvm::SmallVector<Value*, 8> split(llvm::IRBuilder<>& builder, Value* value, int count) const {
    llvm::SmallVector<Value*, 8> parts;
    for (int first = 0; first < count; first += lanes_) {
      llvm::SmallVector<int, 64> mask;
      for (int lane = first; lane < first + lanes_; ++lane)
        mask.push_back(lane < count ? lane : llvm::PoisonMaskElem);
      const bool isAll = first == 0 && count == lanes_;
      parts.push_back(isAll ? value : builder.CreateShuffleVector(value, mask));
    }
    return parts;
  }

  void write(const KnownAccess& access) {
    llvm::IRBuilder<> builder(access.instruction);
    const int count = static_cast<int>(access.offsets.size());
    Value* value = builder.CreateBitCast(
        access.value(), count == 1 ? accesses_.unit : llvm::FixedVectorType::get(accesses_.unit, count));
    if (count == 1) value = builder.CreateInsertElement(llvm::PoisonValue::get(type()), value, std::uint64_t{0});
    const llvm::SmallVector<Value*, 8> values =
        count == 1 ? llvm::SmallVector<Value*, 8>{value} : split(builder, value, count);
    llvm::SmallVector<Value*, 8> masks;
    if (!access.isMaskKnown) {
      const int repeat = count / static_cast<int>(access.lanes());
      Value* mask = access.mask();
      if (repeat != 1) {
        llvm::SmallVector<int, 64> lanes;
        for (int unit = 0; unit < count; ++unit)
          lanes.push_back(unit / repeat);
        mask = builder.CreateShuffleVector(mask, lanes);
      } else {
        mask = withoutKnown(mask, access.offsets);
      }
      masks = split(builder, mask, count);
    }
    for (const auto& [part, its] : llvm::enumerate(values)) {
      const int first = static_cast<int>(part) * lanes_;
      const Offsets offsets = Offsets(access.offsets).slice(first, std::min(lanes_, count - first));
      Lanes stored;
      if (masks.empty())
        for (int lane = 0; lane < lanes_; ++lane)
          stored.push_back({its, lane});
      else
        stored = choose(builder, masks[part], its, offsets);
      // The last lane that writes to an element counts.
      for (const auto& [lane, offset] : llvm::enumerate(offsets)) {
        if (offset < 0) continue;
        chunk(builder, offset / lanes_)[static_cast<std::size_t>(offset % lanes_)] = stored[lane];
        isChanged_.set(static_cast<unsigned>(offset / lanes_));
      }
    }
  }

  /// Contents after a masked store: `value` in active lanes, the old contents in others. Values are permuted to the
  /// lanes of the mask, since permuting masks costs more.
  Lanes choose(llvm::IRBuilder<>& builder, Value* mask, Value* value, Offsets offsets) {
    Value* before = readPart(builder, offsets);
    Lanes lanes = lanesAt(builder, offsets);
    if (chooseByOrder(builder, mask, value, lanes)) return lanes;
    Value* chosen = builder.CreateSelect(mask, value, before);
    for (const auto& [lane, its] : llvm::enumerate(lanes))
      if (its.vector != nullptr) its = {chosen, static_cast<int>(lane)};
    return lanes;
  }

  /// Recognises a compare-exchange: the larger or smaller of two integers is stored to where one of them was. Its lanes
  /// are then lanes of the minimum or the maximum. Returns false for other stores.
  bool chooseByOrder(llvm::IRBuilder<>& builder, Value* mask, Value* value, Lanes& lanes) {
    const llvm::ICmpInst* order = nullptr;
    llvm::SmallVector<std::pair<int, bool>, 16> chosen; // which lane of the comparison, and whether it is the maximum
    for (int lane = 0; lane < lanes_; ++lane) {
      chosen.emplace_back(-1, false);
      const Lane& there = lanes[static_cast<std::size_t>(lane)];
      if (there.vector == nullptr) continue;
      const std::optional<Comparison> compared = comparisonOf(mask, lane);
      if (!compared || (order != nullptr && order != compared->order)) return false;
      order = compared->order;
      if (order->isEquality() || order->getOperand(0)->getType() != type()) return false;
      const Lane old = origin(there.vector, there.number), stored = origin(value, lane),
                 first = origin(order->getOperand(0), compared->lane),
                 second = origin(order->getOperand(1), compared->lane);
      const bool takesFirst = stored == first && old == second, takesSecond = stored == second && old == first;
      if (!takesFirst && !takesSecond) return false;
      const bool isGreater = llvm::ICmpInst::isGT(order->getPredicate()) || llvm::ICmpInst::isGE(order->getPredicate());
      // Storing the first operand where the comparison holds gives the maximum if the comparison is "greater".
      chosen.back() = {compared->lane, (isGreater == takesFirst) != compared->isNegated};
    }
    if (order == nullptr) return false;
    // Both stores of a compare-exchange take lanes of the same two vectors.
    Extremes& extremes = extremes_[order];
    const auto make = [&](Value*& extreme, llvm::Intrinsic::ID ofSigned, llvm::Intrinsic::ID ofUnsigned) {
      if (extreme == nullptr)
        extreme = builder.CreateBinaryIntrinsic(order->isSigned() ? ofSigned : ofUnsigned, order->getOperand(0),
                                                order->getOperand(1));
    };
    for (const auto& [lane, each] : llvm::enumerate(chosen)) {
      if (each.first < 0) continue;
      if (each.second)
        make(extremes.maximum, llvm::Intrinsic::smax, llvm::Intrinsic::umax);
      else
        make(extremes.minimum, llvm::Intrinsic::smin, llvm::Intrinsic::umin);
      lanes[lane] = {each.second ? extremes.maximum : extremes.minimum, each.first};
    }
    return true;
  }

  llvm::Argument& array_;
  KnownAccesses accesses_;
  int lanes_;
  /// One alloca a chunk, which holds the chunk from one basic block to the next.
  llvm::SmallVector<llvm::AllocaInst*, 64> memory_;
  std::vector<Lanes> chunks_; ///< Current lanes of each chunk; empty until the block accesses it
  llvm::SmallBitVector isChanged_;
  llvm::DenseMap<const llvm::ICmpInst*, Extremes> extremes_; ///< Extremes of each comparison's operands, in the block
};

} // namespace

void keepInRegisters(llvm::Argument& array, KnownAccesses accesses, unsigned registerBytes, llvm::DominatorTree& tree) {
  ArrayRegisters(array, std::move(accesses), registerBytes).run(tree);
}

} // namespace clotho::compiler
