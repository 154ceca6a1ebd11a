// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/direct_kernels.hpp"

#include "compiler/analysis/mergeable_groups.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3;
constexpr unsigned kDeepest = 48;              ///< expressions of what a tile holds
constexpr std::uint64_t kLongestSide = 64;     ///< of a tile: longer ones do not lie in the nearest cache
constexpr std::size_t kMostInstructions = 600; ///< of a kernel that is worth a second version
constexpr unsigned kMostValues = 24;           ///< in the expression of what a tile holds

/// A row or a column of a tile: of `variable`, if any, and a constant.
struct Index {
  Value* variable = nullptr;
  std::uint64_t constant = 0;
};

struct Place {
  Index row, column;
};

/// local T tile[rows][columns], or memory of one dimension that is used so.
struct Tile {
  std::uint64_t rows = 0, columns = 0, elementBytes = 0; ///< rows: 0 where the program does not say how many there are
  llvm::Type* element = nullptr;
  llvm::StoreInst* store = nullptr; ///< the only one
  unsigned rowDimension = 1;        ///< whose local id is the row that a work-item fills; the column is the other one's
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
};

constexpr unsigned kSideBits = 8; ///< that hold a row or a column
static_assert(kLongestSide < 1U << (kSideBits - 1));

/// What is behind conversions that keep so many bits: those of a row or a column, unless more are asked for.
Value* withoutCasts(Value* value, unsigned leastBits = kSideBits) {
  while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
    if (!llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(cast) ||
        cast->getType()->getScalarSizeInBits() < leastBits)
      break;
    value = cast->getOperand(0);
  }
  return value;
}

bool isLocalId(Value* value, unsigned dimension) {
  return isIntrinsic(withoutCasts(value), Intrinsic::LocalId, dimension);
}

bool isLocalId(const Index& index, unsigned dimension) {
  return index.constant == 0 && index.variable != nullptr && isLocalId(index.variable, dimension);
}

/// Facts that are the same for work-groups of one shape, however their work-items run.
bool isKnownFact(const IntrinsicCall& call) {
  return tellsPlace(call.intrinsic) || call.intrinsic == Intrinsic::Barrier;
}

/// What a kernel does with memory, where that is only to fill tiles, read them, and read and write what different
/// arguments point to.
struct Accesses {
  llvm::MapVector<Value*, Tile> tiles; ///< by variable or argument
  llvm::SmallVector<Instruction*, 4> barriers;
};

/// The barrier may keep the order of what different work-items write in one place.
bool comesBefore(llvm::ArrayRef<Instruction*> stores, llvm::ArrayRef<Instruction*> barriers) {
  return llvm::any_of(stores, [&](const Instruction* store) {
    return llvm::any_of(barriers,
                        [&](const Instruction* barrier) { return llvm::isPotentiallyReachable(store, barrier); });
  });
}

/// So many bytes for each of the variables, and a constant.
struct Offset {
  llvm::SmallMapVector<Value*, std::int64_t, 4> variables;
  std::int64_t constant = 0;
};

/// Adds `value * scale`. No sum of what is less than a tile's sides wraps around in 32 bits. What may be more is no row
/// and no column of a tile (isFilled).
void addTo(Offset& offset, Value* value, std::int64_t scale, unsigned depth = 0) {
  using namespace llvm::PatternMatch;
  constexpr unsigned kBits = 32, kDepthLimit = 6; // each of which may double what is looked at
  constexpr std::int64_t kLargest = 1 << 20;
  Value* const sum = withoutCasts(value, kBits);
  const bool isWide = sum->getType()->getScalarSizeInBits() >= kBits && scale < kLargest && depth < kDepthLimit;
  Value *one = nullptr, *other = nullptr;
  const llvm::APInt* factor = nullptr;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(sum);
      isWide && constant != nullptr && constant->getValue().abs().ult(kLargest)) {
    offset.constant += constant->getSExtValue() * scale;
  } else if (isWide && match(sum, m_AddLike(m_Value(one), m_Value(other)))) {
    addTo(offset, one, scale, depth + 1);
    addTo(offset, other, scale, depth + 1);
  } else if (isWide && match(sum, m_Mul(m_Value(one), m_APInt(factor))) && factor->ult(kLargest)) {
    addTo(offset, one, scale * factor->getSExtValue(), depth + 1);
  } else if (isWide && match(sum, m_Shl(m_Value(one), m_APInt(factor))) && factor->ult(16)) {
    addTo(offset, one, scale << factor->getZExtValue(), depth + 1);
  } else {
    offset.variables[withoutCasts(value)] += scale;
  }
}

/// How far a pointer is from the beginning of the variable or argument that it points into.
std::optional<Offset> offsetOf(const Value* pointer, const llvm::DataLayout& layout) {
  const unsigned bits = layout.getIndexTypeSizeInBits(pointer->getType());
  llvm::SmallMapVector<Value*, llvm::APInt, 4> variables;
  llvm::APInt constant(bits, 0);
  while (!llvm::isa<llvm::GlobalVariable, llvm::Argument>(pointer)) {
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
    if (step == nullptr || !step->collectOffset(layout, bits, variables, constant)) return std::nullopt;
    pointer = step->getPointerOperand();
  }
  Offset offset;
  offset.constant = constant.getSExtValue();
  for (const auto& [variable, scale] : variables) {
    if (scale.isNegative() || scale.getActiveBits() > 20) return std::nullopt;
    addTo(offset, variable, scale.getSExtValue());
  }
  return offset;
}

bool addTileAccess(Accesses& accesses, Value& memory, Instruction& instruction) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&memory);
  const auto* outer = variable == nullptr ? nullptr : llvm::dyn_cast<llvm::ArrayType>(variable->getValueType());
  if (variable != nullptr && outer == nullptr) return false;
  const auto* inner = outer == nullptr ? nullptr : llvm::dyn_cast<llvm::ArrayType>(outer->getElementType());
  if (inner != nullptr && inner->getElementType()->isArrayTy()) return false;
  const auto [found, isNew] = accesses.tiles.try_emplace(&memory);
  Tile& tile = found->second;
  if (isNew) {
    tile.element = inner != nullptr ? inner->getElementType() : llvm::getLoadStoreType(&instruction);
    tile.elementBytes = instruction.getDataLayout().getTypeAllocSize(tile.element).getFixedValue();
    if (inner != nullptr) {
      tile.rows = outer->getNumElements();
      tile.columns = inner->getNumElements();
    }
  }
  if (llvm::getLoadStoreType(&instruction) != tile.element) return false;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    tile.loads.push_back(load);
    return true;
  }
  if (tile.store != nullptr) return false;
  tile.store = llvm::cast<llvm::StoreInst>(&instruction);
  return true;
}

/// Finds the sides that memory of one dimension has for the work-items that fill it.
bool findSides(const Value& memory, Tile& tile, const llvm::DataLayout& layout) {
  if (tile.columns != 0) return true;
  const auto offset = offsetOf(tile.store->getPointerOperand(), layout);
  if (!offset || offset->variables.size() != 2) return false;
  std::int64_t rowBytes = 0;
  for (const auto& [variable, scale] : offset->variables)
    rowBytes = std::max(rowBytes, scale);
  if (rowBytes == 0 || rowBytes % static_cast<std::int64_t>(tile.elementBytes) != 0) return false;
  tile.columns = static_cast<std::uint64_t>(rowBytes) / tile.elementBytes;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&memory))
    tile.rows =
        layout.getTypeAllocSize(variable->getValueType()).getFixedValue() / static_cast<std::uint64_t>(rowBytes);
  return tile.columns > 1;
}

std::optional<Accesses> findAccesses(Function& kernel) {
  Accesses accesses;
  llvm::SmallPtrSet<const Value*, 8> read, written;
  llvm::SmallVector<Instruction*, 4> stores;
  for (Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::AllocaInst>(instruction)) return std::nullopt;
    if (const auto call = matchIntrinsic(&instruction)) {
      if (!isKnownFact(*call)) return std::nullopt;
      if (call->intrinsic == Intrinsic::Barrier) accesses.barriers.push_back(&instruction);
      continue;
    }
    Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr) {
      if (llvm::isa<llvm::FenceInst>(instruction)) return std::nullopt;
      if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) return std::nullopt;
      continue;
    }
    if (instruction.isVolatile() || instruction.isAtomic()) return std::nullopt;
    Value* object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (llvm::isa<llvm::GlobalVariable, llvm::Argument>(object) && space == kLocalSpace) {
      if (!addTileAccess(accesses, *object, instruction)) return std::nullopt;
    } else if (llvm::isa<llvm::Argument>(object) && (space == kGlobalSpace || space == kConstantSpace)) {
      (llvm::isa<llvm::LoadInst>(instruction) ? read : written).insert(object);
      if (llvm::isa<llvm::StoreInst>(instruction)) stores.push_back(&instruction);
    } else {
      return std::nullopt;
    }
  }
  if (accesses.tiles.empty() || comesBefore(stores, accesses.barriers) ||
      llvm::any_of(written, [&](const Value* object) { return read.contains(object); }))
    return std::nullopt;
  return accesses;
}

/// Which element a pointer into the tile points to.
std::optional<Place> placeOf(const Tile& tile, const Value* pointer, const llvm::DataLayout& layout) {
  const auto offset = offsetOf(pointer, layout);
  if (!offset) return std::nullopt;
  const std::uint64_t rowBytes = tile.columns * tile.elementBytes;
  const std::uint64_t rows = tile.rows != 0 ? tile.rows : tile.columns;
  const auto bytes = static_cast<std::uint64_t>(offset->constant);
  if (bytes >= rows * rowBytes || bytes % tile.elementBytes != 0) return std::nullopt;
  Place place{{nullptr, bytes / rowBytes}, {nullptr, bytes % rowBytes / tile.elementBytes}};
  for (const auto& [variable, scale] : offset->variables) {
    const auto size = static_cast<std::uint64_t>(scale);
    Index* index = size == rowBytes ? &place.row : size == tile.elementBytes ? &place.column : nullptr;
    if (index == nullptr || index->variable != nullptr) return std::nullopt;
    index->variable = variable;
  }
  return place;
}

/// Replaces what a kernel loads from tiles by what its work-items load for them.
class TileBypass {
 public:
  TileBypass(Function& kernel, Accesses& accesses, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel), accesses_(accesses), layout_(kernel.getDataLayout()),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel)) {}

  /// The local size for which the kernel is the same; nothing if there is none, and the kernel then of no use.
  std::optional<LocalSize> run() {
    const llvm::ReversePostOrderTraversal<const Function*> order(&kernel_);
    if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops_)) return std::nullopt; // loops of no name
    if (!chooseSize()) return std::nullopt;
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel_)))
      if (const auto call = matchIntrinsic(&instruction);
          call && (call->intrinsic == Intrinsic::LocalSize || call->intrinsic == Intrinsic::EnqueuedSize)) {
        instruction.replaceAllUsesWith(llvm::ConstantInt::get(instruction.getType(), size_[call->dimension]));
        instruction.eraseFromParent();
      }
    const WorkItemUniformity uniformity(kernel_);
    for (const Instruction& instruction : llvm::instructions(kernel_))
      if (uniformity.isUniform(instruction)) uniform_.insert(&instruction);
    for (auto& [memory, tile] : accesses_.tiles)
      for (llvm::LoadInst* load : tile.loads)
        if (!bypass(tile, *load)) return std::nullopt;
    if (areTransposed_ == true) transpose();
    for (auto& [memory, tile] : accesses_.tiles)
      tile.store->eraseFromParent();
    for (Instruction* barrier : accesses_.barriers)
      barrier->eraseFromParent();
    for (llvm::BasicBlock& block : kernel_)
      llvm::SimplifyInstructionsInBlock(&block);
    // Loops without local memory are only worth it where groups go together.
    return loops_.empty() || isMergeable(kernel_) ? std::optional(size_) : std::nullopt;
  }

 private:
  /// A tile is filled whole, once or in each round of a loop, with a barrier: work-item (x, y) fills tile[y][x] or
  /// tile[x][y]. The last column may only be there against conflicts between a GPU's banks of memory.
  bool chooseSize() {
    const auto required = kernel_.getMetadata("reqd_work_group_size");
    for (auto& [memory, tile] : accesses_.tiles) {
      if (tile.store == nullptr || !findSides(*memory, tile, layout_) || tile.rows == 1 || tile.rows > kLongestSide ||
          tile.columns > kLongestSide)
        return false;
      const auto filled = placeOf(tile, tile.store->getPointerOperand(), layout_);
      if (!filled) return false;
      tile.rowDimension = isLocalId(filled->row, 1) ? 1 : 0;
      if (!isLocalId(filled->row, tile.rowDimension) || !isLocalId(filled->column, 1 - tile.rowDimension)) return false;
      llvm::Loop* loop = loops_.getLoopFor(tile.store->getParent());
      // What it holds would be computed more than once, or not at all.
      if (loop == nullptr && (tile.loads.size() != 1 || loops_.getLoopFor(tile.loads.front()->getParent()) != nullptr))
        return false;
      if (loop != nullptr &&
          (loop->getLoopLatch() == nullptr || !dominators_.dominates(tile.store->getParent(), loop->getLoopLatch()) ||
           llvm::none_of(accesses_.barriers, [&](const Instruction* barrier) {
             return loops_.getLoopFor(barrier->getParent()) == loop &&
                    dominators_.dominates(barrier->getParent(), loop->getLoopLatch());
           })))
        return false;
    }
    const Tile& first = accesses_.tiles.front().second;
    for (const std::uint64_t ofRow : {first.columns, first.columns - 1}) {
      size_[first.rowDimension] = first.rows != 0 ? first.rows : ofRow;
      size_[1 - first.rowDimension] = ofRow;
      size_[2] = 1;
      const bool isFilled = llvm::all_of(accesses_.tiles, [&](const auto& entry) {
        const Tile& tile = entry.second;
        const std::uint64_t columns = size_[1 - tile.rowDimension];
        return (tile.rows == 0 ? columns : tile.rows) == size_[tile.rowDimension] &&
               (tile.columns == columns || tile.columns == columns + 1);
      });
      const bool isRequired =
          required == nullptr || llvm::all_of(llvm::seq(0U, 3U), [&](unsigned i) {
            return llvm::mdconst::extract<llvm::ConstantInt>(required->getOperand(i))->getZExtValue() == size_[i];
          });
      if (isFilled && isRequired && size_[0] % 4 == 0 && ofRow % 4 == 0) return true;
    }
    return false;
  }

  bool isUniform(const Value& value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    return instruction == nullptr || uniform_.contains(instruction);
  }

  /// Within the part of the tile that has been filled.
  bool isFilled(const Index& index, unsigned dimension, const Instruction& at) {
    const std::uint64_t count = size_[dimension];
    if (isLocalId(index, dimension)) return true;
    if (index.variable == nullptr) return index.constant < count;
    if (!isUniform(*index.variable) || index.constant >= count) return false;
    const llvm::SCEV* variable = evolution_.getSCEV(index.variable);
    return evolution_.isKnownPredicateAt(llvm::ICmpInst::ICMP_ULT, variable,
                                         evolution_.getConstant(variable->getType(), count - index.constant), &at);
  }

  /// Whether the work-item at (y, x) has filled it, for that at (x, y).
  bool isTransposed() const { return size_[0] == size_[1] && isLocalId(filledBy_[0], 1) && isLocalId(filledBy_[1], 0); }

  struct Guard {
    Value* condition;
    bool holds;
  };

  /// On what it depends whether a work-item that comes to the load has come to the store.
  bool findGuards(const Tile& tile, const llvm::LoadInst& load, llvm::SmallVectorImpl<Guard>& guards) const {
    const llvm::BasicBlock* block = tile.store->getParent();
    while (!dominators_.dominates(block, load.getParent())) {
      const llvm::BasicBlock* before = block->getSinglePredecessor();
      const auto* branch = before == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
      if (branch == nullptr) return false;
      if (branch->isConditional()) guards.push_back({branch->getCondition(), branch->getSuccessor(0) == block});
      block = before;
    }
    std::reverse(guards.begin(), guards.end());
    return !guards.empty();
  }

  /// All conditions of a store are asked at once for another work-item, though one may keep that work-item from an
  /// address that the next one reads, or from a zero by which it divides.
  static bool mayFault(const Value& condition) {
    llvm::SmallVector<const Value*, 8> work = {&condition};
    llvm::SmallPtrSet<const Value*, 16> seen;
    while (!work.empty()) {
      const auto* instruction = llvm::dyn_cast<Instruction>(work.pop_back_val());
      if (instruction == nullptr || !seen.insert(instruction).second) continue;
      if (!llvm::isSafeToSpeculativelyExecute(instruction)) return true;
      work.append(instruction->value_op_begin(), instruction->value_op_end());
    }
    return false;
  }

  bool bypass(const Tile& tile, llvm::LoadInst& load) {
    const auto place = placeOf(tile, load.getPointerOperand(), layout_);
    const llvm::Loop* loop = loops_.getLoopFor(tile.store->getParent());
    if (!place || (loop != nullptr && !loop->contains(&load)) || !llvm::isPotentiallyReachable(tile.store, &load))
      return false;
    llvm::SmallVector<Guard, 2> guards;
    if (!dominators_.dominates(tile.store, &load) && (!loops_.empty() || !findGuards(tile, load, guards))) return false;
    filledBy_[tile.rowDimension] = place->row;
    filledBy_[1 - tile.rowDimension] = place->column;
    const bool transposed = loops_.empty() && isTransposed();
    if (areTransposed_.value_or(transposed) != transposed) return false;
    areTransposed_ = transposed;
    if (!transposed && (!isFilled(filledBy_[1], 1, load) || !isFilled(filledBy_[0], 0, load))) return false;
    made_.clear();
    llvm::IRBuilder<> builder(&load);
    Value* isThere = nullptr;
    for (const auto& [condition, holds] : guards) {
      Value* asked = mayFault(*condition) ? nullptr : rebuild(condition, builder, 0);
      if (asked == nullptr) return false;
      if (!holds) asked = builder.CreateNot(asked);
      isThere = isThere == nullptr ? asked : builder.CreateLogicalAnd(isThere, asked);
    }
    if (isThere != nullptr) {
      llvm::DomTreeUpdater updater(dominators_, llvm::DomTreeUpdater::UpdateStrategy::Eager);
      builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(isThere, &load, /*Unreachable=*/false, nullptr, &updater));
    }
    Value* value = rebuild(tile.store->getValueOperand(), builder, 0);
    if (value == nullptr) return false;
    if (isThere != nullptr) {
      llvm::BasicBlock *then = builder.GetInsertBlock(), *head = then->getSinglePredecessor();
      llvm::PHINode* either = llvm::IRBuilder<>(&load).CreatePHI(load.getType(), 2);
      either->addIncoming(value, then);
      either->addIncoming(llvm::Constant::getNullValue(load.getType()), head); // nobody has stored it
      value = either;
    }
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
    return true;
  }

  Value* idOf(const Index& index, llvm::IRBuilder<>& builder) {
    if (index.variable == nullptr) return builder.getInt64(index.constant);
    return builder.CreateAdd(builder.CreateZExtOrTrunc(index.variable, builder.getInt64Ty()),
                             builder.getInt64(index.constant), "", /*HasNUW=*/true, /*HasNSW=*/true);
  }

  Value* factOf(const IntrinsicCall& call, Instruction& fact, llvm::IRBuilder<>& builder) {
    // Its own, unless the store alone comes by it.
    const auto same = [&]() -> Value* {
      const bool isThere = dominators_.dominates(&fact, &*builder.GetInsertPoint());
      return isThere ? &fact : createIntrinsic(builder, call.intrinsic, call.dimension);
    };
    if (call.intrinsic != Intrinsic::LocalId && call.intrinsic != Intrinsic::GlobalId)
      return isUniform(fact) ? same() : nullptr;
    if (call.dimension == 2) return same(); // one only, along this dimension
    const Index& index = filledBy_[call.dimension];
    if (isLocalId(index, call.dimension)) return same();
    Value* id = idOf(index, builder);
    if (call.intrinsic == Intrinsic::LocalId) return id;
    return builder.CreateAdd(createIntrinsic(builder, Intrinsic::GroupBase, call.dimension), id, "", /*HasNUW=*/true);
  }

  /// Work-items take the places of those whose elements they read, at (y, x) for (x, y): then they read memory in the
  /// order in which the tile was filled.
  void transpose() {
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel_))) {
      const auto call = matchIntrinsic(&instruction);
      if (!call || call->dimension == 2 ||
          (call->intrinsic != Intrinsic::LocalId && call->intrinsic != Intrinsic::GlobalId))
        continue;
      llvm::IRBuilder<> builder(&instruction);
      Value* id = createIntrinsic(builder, Intrinsic::LocalId, 1 - call->dimension);
      if (call->intrinsic == Intrinsic::GlobalId)
        id = builder.CreateAdd(createIntrinsic(builder, Intrinsic::GroupBase, call->dimension), id, "",
                               /*HasNUW=*/true);
      instruction.replaceAllUsesWith(id);
      instruction.eraseFromParent();
    }
  }

  /// The value that the work-item which `filledBy_` names computes; null where that cannot be told.
  Value* rebuild(Value* value, llvm::IRBuilder<>& builder, unsigned depth) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return value;
    if (Value* made = made_.lookup(value)) return made;
    if (depth == kDeepest || made_.size() > kMostValues) return nullptr;
    Value* result = nullptr;
    if (const auto call = matchIntrinsic(instruction)) {
      result = factOf(*call, *instruction, builder);
    } else if (isUniform(*instruction) && dominators_.dominates(instruction, &*builder.GetInsertPoint())) {
      result = instruction;
    } else {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
      const bool isGlobalLoad = llvm::isa<llvm::LoadInst>(instruction) &&
                                instruction->getOperand(0)->getType()->getPointerAddressSpace() != kLocalSpace;
      const bool mayCopy =
          isGlobalLoad || (intrinsic != nullptr && !intrinsic->mayReadOrWriteMemory()) ||
          llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                    llvm::GetElementPtrInst, llvm::FreezeInst, llvm::ExtractElementInst, llvm::InsertElementInst,
                    llvm::ShuffleVectorInst>(*instruction);
      if (!mayCopy) return nullptr;
      llvm::SmallVector<Value*, 4> operands;
      for (Value* operand : instruction->operands()) {
        operands.push_back(rebuild(operand, builder, depth + 1));
        if (operands.back() == nullptr) return nullptr;
      }
      Instruction* copy = instruction->clone();
      for (auto [operand, rebuilt] : llvm::zip_equal(copy->operands(), operands))
        operand.set(rebuilt);
      result = builder.Insert(copy, instruction->getName());
    }
    made_[value] = result;
    return result;
  }

  Function& kernel_;
  Accesses& accesses_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree& dominators_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::SmallPtrSet<const Instruction*, 32> uniform_; ///< of those that were there at first
  LocalSize size_{};
  std::optional<bool> areTransposed_;   ///< all elements that are read, or none
  Index filledBy_[2];                   ///< the work-item's local ids along dimensions 0 and 1
  llvm::DenseMap<Value*, Value*> made_; ///< for it
};

/// Before anything is copied.
bool mayBeWorthwhile(const Function& kernel) {
  if (!isKernel(kernel) || kernel.isDeclaration() || variantOf(kernel) == Variant::Remainder || usesSubGroups(kernel) ||
      kernel.getInstructionCount() > kMostInstructions || !callsIntrinsic(kernel, Intrinsic::Barrier))
    return false;
  const auto isArray = [](const llvm::GlobalVariable& variable) {
    return variable.getAddressSpace() == kLocalSpace && variable.getValueType()->isArrayTy();
  };
  const auto isLocal = [](const llvm::Argument& argument) {
    return argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kLocalSpace;
  };
  return llvm::any_of(kernel.getParent()->globals(), isArray) || llvm::any_of(kernel.args(), isLocal);
}

} // namespace

llvm::PreservedAnalyses DirectKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  if (!module.debug_compile_units().empty()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<Function*, 4> kernels;
  for (Function& function : module)
    if (mayBeWorthwhile(function)) kernels.push_back(&function);
  bool changed = false;
  for (Function* kernel : kernels) {
    if (!findAccesses(*kernel)) continue;
    Function* copy = cloneVariant(*kernel, *kernel, Variant::Direct);
    auto accesses = findAccesses(*copy);
    const auto size = TileBypass(*copy, *accesses, analyses).run();
    analyses.clear(*copy, copy->getName());
    if (!size) {
      copy->eraseFromParent();
      continue;
    }
    changed = true;
    changeFacts(*copy, [&](KernelFacts& facts) { facts.directSize = *size; });
    copy->setMetadata("reqd_work_group_size", nullptr);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
