// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/jam_rows.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/affine_address.hpp"
#include "compiler/analysis/index_bounds.hpp"
#include "compiler/analysis/value_numbers.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/unroll_short_loops.hpp"
#include "compiler/transform/widen/convert_branches.hpp"
#include "compiler/transform/widen/merge_accesses.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <functional>
#include <limits>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;
constexpr unsigned kDeepest = 12; ///< Deepest nesting of conditions that are examined
/// Rows are jammed only if at least one in so many loads is saved.
constexpr unsigned kLeastShare = 5;
/// Rows are jammed only if at least one in so many accesses has neighbours.
constexpr unsigned kLeastMerged = 3;
constexpr unsigned kAssumedTrips = 8, kDeepestLoop = 6; ///< assumed trip count and deepest nesting of loops

/// Whether the pointer is to global, constant or local memory.
bool isShared(const Value* pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  return space >= 1 && space <= 3;
}

bool mayJam(const Instruction& instruction) {
  // Rows that are not jammed may begin anywhere, while known patterns in local memory hold only at multiples of the
  // width.
  const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (pointer != nullptr && pointer->getType()->getPointerAddressSpace() == kLocalSpace) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->isSimple() && isShared(store->getPointerOperand());
  if (llvm::isa<llvm::AllocaInst, llvm::SwitchInst>(instruction)) return false;
  return !instruction.mayReadOrWriteMemory() && !instruction.mayThrow();
}

using Instructions = llvm::SmallPtrSet<const Instruction*, 32>;

/// All values that depend on the local id, without branches.
Instructions dependentOn(const llvm::Function& function, unsigned dimension) {
  Instructions dependent;
  llvm::SmallVector<const Instruction*, 16> work;
  for (const Instruction& instruction : llvm::instructions(function))
    if (isIntrinsic(&instruction, Intrinsic::LocalId, dimension)) work.push_back(&instruction);
  while (!work.empty()) {
    const Instruction* next = work.pop_back_val();
    if (next->isTerminator() || !dependent.insert(next).second) continue;
    for (const llvm::User* user : next->users())
      work.push_back(llvm::cast<Instruction>(user));
  }
  return dependent;
}

class RowJam {
 public:
  explicit RowJam(JammedRows& jam) : jam_(jam) {}

  /// Returns whether jamming pays because the rows' accesses are adjacent in memory while the lanes' are not; otherwise
  /// the function is to be discarded. `far`: accesses whose lanes are far apart.
  bool runForNeighbours(const Instructions& far, const llvm::LoopInfo& loops) {
    dependent_ = dependentOn(*jam_.function, 1);
    order();
    if (llvm::none_of(order_, [&](const Instruction* instruction) { return far.contains(instruction); })) return false;
    const std::uint64_t accesses = countAccesses(loops);
    findBounds();
    copyDependent();
    addRows(&isIndexOfLanes);
    const std::uint64_t neighbours = alignNeighbours(far, loops);
    if (neighbours == 0 || kLeastMerged * neighbours < accesses) return false;
    requireOneWay();
    chooseWhatMoves();
    return shareLoads();
  }

  /// Returns whether jamming pays; otherwise the function is to be discarded. `convert`: converts branches on loaded
  /// data to selects first, and fails if there are none.
  bool run(bool convert) {
    dependent_ = dependentOn(*jam_.function, 1);
    if (convert &&
        !convertBranches(
            *jam_.function,
            [&](const Value& condition) { return dependent_.contains(llvm::dyn_cast<Instruction>(&condition)); },
            early_))
      return false;
    const unsigned loads = mostLoads();
    if (loads == 0) return false;
    if (convert) dependent_ = dependentOn(*jam_.function, 1);
    order();
    if (order_.empty()) return false;
    copyDependent();
    if (llvm::any_of(order_, isTermOfAddress)) addRows(&isTruncated);
    requireOneWay();
    chooseWhatMoves();
    if (!shareLoads()) return false;
    const unsigned before = loads * jam_.rows;
    return kLeastShare * (before - mostLoads()) >= before;
  }

 private:
  /// Largest number of varying loads in a block.
  unsigned mostLoads() const {
    const auto moving = dependentOn(*jam_.function, 0);
    unsigned most = 0;
    for (const llvm::BasicBlock& block : *jam_.function)
      most = std::max(most, static_cast<unsigned>(llvm::count_if(block, [&](const Instruction& instruction) {
                        return llvm::isa<llvm::LoadInst>(instruction) && moving.contains(&instruction);
                      })));
    return most;
  }

  void order() {
    for (Instruction& instruction : llvm::instructions(*jam_.function))
      if (dependent_.contains(&instruction)) order_.push_back(&instruction);
  }

  /// Estimated number of executions for each work-item.
  static std::uint64_t timesAt(const Instruction& instruction, const llvm::LoopInfo& loops) {
    std::uint64_t times = 1;
    for (unsigned depth = std::min(loops.getLoopDepth(instruction.getParent()), kDeepestLoop); depth != 0; --depth)
      times *= kAssumedTrips;
    return times;
  }

  /// Estimated number of accesses of each work-item to varying addresses.
  std::uint64_t countAccesses(const llvm::LoopInfo& loops) const {
    const auto moving = dependentOn(*jam_.function, 0);
    std::uint64_t count = 0;
    for (const Instruction& instruction : llvm::instructions(*jam_.function)) {
      const auto* address = llvm::dyn_cast_or_null<Instruction>(llvm::getLoadStorePointerOperand(&instruction));
      if (address != nullptr && moving.contains(address)) count += timesAt(instruction, loops);
    }
    return count;
  }

  /// Distance between one row's access and the next row's, in bytes, if they are adjacent in memory in either
  /// direction; otherwise 0.
  std::int64_t stepOfNeighbours(Instruction* access) const {
    const llvm::DataLayout& layout = jam_.function->getDataLayout();
    const auto addressOf = [&](Instruction* of) {
      return affineAddressOf(*llvm::getLoadStorePointerOperand(of), layout);
    };
    const AffineAddress first = addressOf(access);
    const auto distance = [&](unsigned row) { return first.distanceTo(addressOf(copyOf(access, row))); };
    const std::int64_t step = distance(1).value_or(0);
    const auto size = layout.getTypeStoreSize(llvm::getLoadStoreType(access)).getFixedValue();
    const bool areNeighbours =
        magnitude(step) == static_cast<std::int64_t>(size) &&
        llvm::all_of(llvm::seq<unsigned>(2, jam_.rows), [&](unsigned row) { return distance(row) == step * row; });
    return areNeighbours ? step : 0;
  }

  /// Rewrites addresses of adjacent rows as the first row's plus constants, which mergeAccesses recognises. Returns the
  /// number of such accesses of a work-item.
  std::uint64_t alignNeighbours(const Instructions& far, const llvm::LoopInfo& loops) {
    if (llvm::any_of(order_, [&](Instruction* each) { return far.contains(each) && stepOfNeighbours(each) == 0; }))
      addBehindExtensions();
    std::uint64_t count = 0;
    for (Instruction* access : order_) {
      const std::int64_t step = far.contains(access) ? stepOfNeighbours(access) : 0;
      if (step == 0) continue;
      count += timesAt(*access, loops);
      Value* address = llvm::getLoadStorePointerOperand(access);
      const unsigned bytes = static_cast<unsigned>(magnitude(step)) * jam_.rows;
      jam_.mergedBytes = jam_.mergedAccesses++ == 0 ? bytes : std::min(jam_.mergedBytes, bytes);
      for (unsigned row = 1; row < jam_.rows; ++row) {
        Instruction* copy = copyOf(access, row);
        llvm::IRBuilder<> builder(copy);
        if (auto* old = llvm::dyn_cast<Instruction>(llvm::getLoadStorePointerOperand(copy))) dead_.push_back(old);
        copy->setOperand(
            llvm::isa<llvm::StoreInst>(copy) ? llvm::StoreInst::getPointerOperandIndex()
                                             : llvm::LoadInst::getPointerOperandIndex(),
            builder.CreateConstGEP1_64(builder.getInt8Ty(), address, static_cast<std::uint64_t>(step * row)));
      }
    }
    return count;
  }

  /// Distance from one row's integer to the next row's; nothing if it is zero, too large, or not constant.
  std::optional<std::int64_t> stepOf(const Value* original, const Value* next) {
    const auto step = numbers_.distance(original, next);
    if (!step || *step == 0 || magnitude(*step) > kLongestSpan / jam_.rows) return std::nullopt;
    return step;
  }

  void findBounds() {
    for (const Instruction* original : order_)
      if (const auto* extension = llvm::dyn_cast<llvm::CastInst>(original);
          extension != nullptr && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extension))
        if (const auto largest = largestMemoryWithoutWrap(*extension, jam_.function->getDataLayout()))
          bounds_[extension] = *largest;
  }

  /// If 32-bit indices of rows differ by a constant, so do their extensions, unless memory is so large that they may
  /// wrap around in between: all rows make the access, or none.
  void addBehindExtensions() {
    for (Instruction* original : order_) {
      const auto bound = bounds_.find(original);
      if (bound == bounds_.end()) continue;
      const auto step = stepOf(original->getOperand(0), copyOf(original, 1)->getOperand(0));
      if (!step) continue;
      jam_.assumes.add({.largestMemory = bound->second});
      llvm::IRBuilder<> builder(original->getNextNode());
      for (unsigned row = 1; row < jam_.rows; ++row) {
        Instruction* copy = copyOf(original, row);
        copy->replaceAllUsesWith(
            builder.CreateAdd(original, builder.getInt64(static_cast<std::uint64_t>(*step * row))));
        dead_.push_back(copy);
      }
    }
  }

  static bool isIndexOfLanes(const Instruction& value, const Instructions& moving) {
    return llvm::any_of(value.users(), [&](const llvm::User* user) {
      return moving.contains(llvm::cast<Instruction>(user)) || llvm::isa<llvm::SExtInst>(user);
    });
  }

  /// Whether the value is a row's id truncated to 32 bits. Its users take the result as a signed number.
  static bool isTruncated(const Instruction& value, const Instructions&) { return llvm::isa<llvm::TruncInst>(value); }

  /// Whether the value is an extension that is one of several terms of an address: rows coincide only in the sum of all
  /// terms.
  static bool isTermOfAddress(const Instruction* value) {
    const auto isVariable = [](const Value* address) {
      const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
      return step != nullptr && !step->hasAllConstantIndices();
    };
    return llvm::isa<llvm::SExtInst>(value) && llvm::any_of(value->users(), [&](const llvm::User* user) {
             const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
             return address == nullptr
                        ? llvm::isa<llvm::BinaryOperator>(user)
                        : isVariable(address->getPointerOperand()) || llvm::any_of(address->users(), isVariable);
           });
  }

  /// Rewrites uniform values that differ between rows by a constant as the first row's plus a multiple of it. A
  /// requirement excludes overflow. Distances between rows are then visible in addresses.
  void addRows(bool (*isWanted)(const Instruction& value, const Instructions& moving)) {
    const auto moving = dependentOn(*jam_.function, 0);
    for (Instruction* original : order_) {
      if (!original->getType()->isIntegerTy(32) || moving.contains(original) || llvm::isa<llvm::PHINode>(original) ||
          !isWanted(*original, moving))
        continue;
      const auto step = stepOf(original, copyOf(original, 1));
      if (!step || !isKnownBefore(original, 0)) continue;
      llvm::IRBuilder<> builder(original->getNextNode());
      for (unsigned row = 1; row < jam_.rows; ++row) {
        Instruction* copy = copyOf(original, row);
        copy->replaceAllUsesWith(
            builder.CreateNSWAdd(original, builder.getInt32(static_cast<std::uint32_t>(*step * row))));
        dead_.push_back(copy);
      }
      using Limits = std::numeric_limits<std::int32_t>;
      const std::int64_t bound = (*step > 0 ? Limits::max() : Limits::min()) - *step * (jam_.rows - 1);
      const auto predicate = *step > 0 ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_SGE;
      require(builder.CreateICmp(predicate, original, builder.getInt32(static_cast<std::uint32_t>(bound))),
              builder.getTrue());
    }
  }

  void copyDependent() {
    copies_.resize(jam_.rows - 1);
    for (Instruction* original : order_) {
      Instruction* last = original;
      for (unsigned row = 1; row < jam_.rows; ++row) {
        Instruction* copy = original->clone();
        if (isIntrinsic(original, Intrinsic::LocalId, 1)) {
          copy->deleteValue();
          copy = llvm::BinaryOperator::CreateNUWAdd(original, llvm::ConstantInt::get(original->getType(), row));
          copy->setHasNoSignedWrap();
        }
        copy->insertAfter(last->getIterator());
        copies_[row - 1][original] = copy;
        row_[copy] = row;
        if (early_.contains(original)) early_.insert(copy);
        last = copy;
      }
      row_[original] = 0;
    }
    for (unsigned row = 1; row < jam_.rows; ++row)
      for (Instruction* original : order_)
        if (!isIntrinsic(original, Intrinsic::LocalId, 1))
          for (llvm::Use& use : copyOf(original, row)->operands())
            use = inRow(use, row);
  }

  Instruction* copyOf(Instruction* original, unsigned row) const { return copies_[row - 1].lookup(original); }
  Value* inRow(Value* value, unsigned row) const {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    return row == 0 || instruction == nullptr || !dependent_.contains(instruction) ? value : copyOf(instruction, row);
  }

  /// Requires that branches go the same way in all rows. A comparison of a value that advances with the rows is checked
  /// in the first and the last row, which covers those in between if it does not wrap around.
  void requireOneWay() {
    for (llvm::BasicBlock& block : *jam_.function) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      auto* condition = llvm::dyn_cast<Instruction>(branch->getCondition());
      if (condition == nullptr || !dependent_.contains(condition)) continue;
      llvm::SmallVector<Ordered, 4> parts;
      if (jam_.rows > 2 && findOrdered(condition, parts, 0)) {
        for (const Ordered& part : parts)
          requireOneSide(part);
        continue;
      }
      for (unsigned row = 1; row < jam_.rows; ++row)
        require(copyOf(condition, row), condition);
    }
  }

  /// A comparison with a value that is the same for all rows.
  struct Ordered {
    llvm::ICmpInst* comparison;
    unsigned side;     ///< the operand that moves
    std::int64_t step; ///< difference between neighbouring rows
  };

  /// Collects the comparisons of which the condition consists; false if one that depends on the row has another form.
  bool findOrdered(Value* condition, llvm::SmallVectorImpl<Ordered>& parts, unsigned depth) {
    using namespace llvm::PatternMatch;
    auto* instruction = llvm::dyn_cast<Instruction>(condition);
    if (instruction == nullptr || !dependent_.contains(instruction)) return true;
    if (depth == kDeepest) return false;
    Value *one = nullptr, *other = nullptr;
    if (match(condition, m_Not(m_Value(one)))) return findOrdered(one, parts, depth + 1);
    if (match(condition, m_LogicalAnd(m_Value(one), m_Value(other))) ||
        match(condition, m_LogicalOr(m_Value(one), m_Value(other))))
      return findOrdered(one, parts, depth + 1) && findOrdered(other, parts, depth + 1);
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(instruction);
    if (comparison == nullptr || comparison->isEquality() || !isIndexType(*comparison->getOperand(0)->getType()))
      return false;
    auto* left = llvm::dyn_cast<Instruction>(comparison->getOperand(0));
    auto* right = llvm::dyn_cast<Instruction>(comparison->getOperand(1));
    const bool movesLeft = left != nullptr && dependent_.contains(left);
    if (movesLeft == (right != nullptr && dependent_.contains(right))) return false;
    const unsigned side = movesLeft ? 0 : 1;
    const auto inRowOf = [&](unsigned row) { return copyOf(comparison, row)->getOperand(side); };
    const auto step = stepOf(movesLeft ? left : right, inRowOf(1));
    if (!step || numbers_.distance(comparison->getOperand(side), inRowOf(jam_.rows - 1)) != *step * (jam_.rows - 1))
      return false;
    parts.push_back({comparison, side, *step});
    return true;
  }

  void requireOneSide(const Ordered& part) {
    Instruction* const last = copyOf(part.comparison, jam_.rows - 1);
    llvm::IRBuilder<> builder(last);
    const auto upwards = part.comparison->isSigned() ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
    require(builder.CreateICmp(part.step > 0 ? upwards : llvm::CmpInst::getSwappedPredicate(upwards),
                               part.comparison->getOperand(part.side), last->getOperand(part.side)),
            builder.getTrue());
    require(last, part.comparison);
  }

  void require(Value* value, Value* equals) {
    jam_.requirements.push_back({value, equals});
    required_.insert(value);
    required_.insert(equals);
  }

  /// Requires that selects and clamps between a value that advances with the rows and one that does not give the
  /// former: few rows are at an edge.
  void chooseWhatMoves() {
    for (Instruction* original : order_) {
      auto* select = llvm::dyn_cast<llvm::SelectInst>(original);
      if (select == nullptr && !llvm::isa<llvm::MinMaxIntrinsic>(original)) continue;
      if (!isIndexType(*original->getType()) || !isKnownBefore(original, 0)) continue;
      const unsigned first = select != nullptr ? 1 : 0;
      const auto moves = [&](unsigned operand) {
        return dependent_.contains(llvm::dyn_cast<Instruction>(original->getOperand(first + operand)));
      };
      if ((select != nullptr && !dependent_.contains(llvm::dyn_cast<Instruction>(select->getCondition()))) ||
          moves(0) == moves(1))
        continue;
      const unsigned moving = first + (moves(0) ? 0 : 1);
      for (unsigned row = 0; row < jam_.rows; ++row) {
        auto* own = llvm::cast<Instruction>(inRow(original, row));
        own->replaceAllUsesWith(own->getOperand(moving)); // Requirements refer to the new value then, too.
        if (select != nullptr)
          require(own->getOperand(0), llvm::ConstantInt::getBool(own->getContext(), moving == 1));
        else
          require(own, own->getOperand(moving));
        dead_.push_back(own);
      }
    }
  }

  /// Whether the value depends only on the arguments and the row's ids.
  static bool isKnownBefore(const Value* value, unsigned depth) {
    if (llvm::isa<llvm::Constant, llvm::Argument>(value)) return true;
    if (const auto call = matchIntrinsic(value)) return call->intrinsic != Intrinsic::LocalId || call->dimension != 0;
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || depth == kDeepest || instruction->isIntDivRem()) return false;
    if (!llvm::isa<llvm::BinaryOperator, llvm::ICmpInst, llvm::SelectInst, llvm::TruncInst, llvm::SExtInst,
                   llvm::ZExtInst, llvm::MinMaxIntrinsic>(instruction))
      return false;
    return llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) {
      return llvm::isa<llvm::Function>(operand) || isKnownBefore(operand, depth + 1);
    });
  }

  /// Replaces loads by loads of another row from the same address, if neither work-item has written there in between:
  /// no other work-item may write it meanwhile. Also replaces repeated loads of one work-item, even through another
  /// pointer, if nothing was written in between. Returns whether all speculative loads have been replaced.
  bool shareLoads() {
    struct Loaded {
      llvm::LoadInst* load;
      unsigned number;
      unsigned extended; ///< a number as well, by what the kernel promises of indices before they are extended
      unsigned row;
      const Value* object;
      bool isBeforeStore = false;
    };
    // Loads that are available at the end of each block.
    llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<Loaded, 32>> atEnd;
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(jam_.function)) {
      llvm::SmallVector<Loaded, 32>& before = atEnd[block];
      if (const llvm::BasicBlock* predecessor = block->getSinglePredecessor()) before = atEnd.lookup(predecessor);
      for (Instruction& instruction : *block) {
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          const Value* object = llvm::getUnderlyingObject(store->getPointerOperand());
          llvm::erase_if(before, [&](const Loaded& loaded) {
            return loaded.object == object || !llvm::isa<llvm::Argument>(object) ||
                   !llvm::isa<llvm::Argument>(loaded.object);
          });
          for (Loaded& loaded : before)
            loaded.isBeforeStore = true;
        }
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load == nullptr) continue;
        if (!isShared(load->getPointerOperand())) {
          if (early_.contains(load)) return false;
          continue;
        }
        const auto found = row_.find(load);
        const Value* address = load->getPointerOperand();
        const Loaded own{load, numbers_.of(address), extended_.of(address),
                         found == row_.end() ? jam_.rows : found->second, llvm::getUnderlyingObject(address)};
        auto* same = llvm::find_if(before, [&](const Loaded& other) {
          return (other.number == own.number || other.extended == own.extended) &&
                 other.load->getType() == load->getType() &&
                 (other.row != own.row || (early_.contains(load) && !other.isBeforeStore));
        });
        if (same == before.end()) {
          if (early_.contains(load)) return false;
          before.push_back(own);
          continue;
        }
        load->replaceAllUsesWith(same->load);
        dead_.push_back(load);
      }
    }
    removeDead();
    return true;
  }

  void removeDead() {
    while (!dead_.empty()) {
      Instruction* instruction = dead_.pop_back_val();
      if (gone_.contains(instruction) || required_.contains(instruction) ||
          !llvm::isInstructionTriviallyDead(instruction))
        continue;
      for (Value* operand : instruction->operands())
        if (auto* other = llvm::dyn_cast<Instruction>(operand)) dead_.push_back(other);
      gone_.insert(instruction);
      instruction->eraseFromParent();
    }
  }

  JammedRows& jam_;
  ValueNumbers numbers_;
  ValueNumbers extended_{ValueNumbers::Extensions::OfParts};
  Instructions dependent_;                    ///< instructions of the kernel that depend on the row
  llvm::SmallVector<Instruction*, 32> order_; ///< the same instructions in program order
  llvm::SmallVector<llvm::DenseMap<Instruction*, Instruction*>, 3> copies_;
  llvm::DenseMap<const Instruction*, unsigned> row_;
  llvm::SmallPtrSet<const Value*, 16> required_;
  llvm::DenseMap<const Instruction*, std::uint64_t> bounds_; ///< largestMemoryWithoutWrap of each extension
  llvm::SmallPtrSet<const Instruction*, 8> early_;           ///< loads that were behind a branch
  llvm::SmallVector<Instruction*, 16> dead_;
  Instructions gone_;
};

/// Accesses to shared memory whose lanes are far apart.
Instructions farAccesses(llvm::Function& function, const LaneShapes& shapes) {
  Instructions far;
  for (const Instruction& instruction : llvm::instructions(function)) {
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr || !isShared(pointer)) continue;
    const unsigned bits = llvm::getLoadStoreType(&instruction)->getScalarSizeInBits();
    if (bits >= 8 && areLanesFarApart(shapes, pointer, bits / 8)) far.insert(&instruction);
  }
  return far;
}

/// Returns whether jamming pays because the rows' accesses are adjacent.
bool jamNeighbours(JammedRows& jam, llvm::FunctionAnalysisManager& analyses) {
  const Instructions far = farAccesses(*jam.function, analyses.getResult<LaneShapesAnalysis>(*jam.function));
  return !far.empty() && RowJam(jam).runForNeighbours(far, analyses.getResult<llvm::LoopAnalysis>(*jam.function));
}

} // namespace

std::optional<JammedRows> jamRows(llvm::Function& kernel, unsigned rows, llvm::FunctionAnalysisManager& analyses) {
  if (!llvm::all_of(llvm::instructions(kernel), mayJam)) return std::nullopt;
  const std::function<bool(JammedRows&)> ways[] = {
      [&](JammedRows& jam) { return jamNeighbours(jam, analyses); },
      [](JammedRows& jam) { return RowJam(jam).run(/*convert=*/true); },
      [](JammedRows& jam) { return RowJam(jam).run(/*convert=*/false); },
      // One iteration's loads for a row are another iteration's for the next row; unrolling puts both into one block.
      [&](JammedRows& jam) { return unrollShortLoops(*jam.function, analyses) && RowJam(jam).run(/*convert=*/false); },
  };
  for (const auto& way : ways) {
    JammedRows jam;
    llvm::ValueToValueMapTy map;
    jam.function = llvm::CloneFunction(&kernel, map);
    jam.rows = rows;
    const bool isWorthIt = way(jam);
    analyses.clear(*jam.function, jam.function->getName());
    if (isWorthIt) return jam;
    jam.function->eraseFromParent();
  }
  return std::nullopt;
}

} // namespace clotho::compiler
