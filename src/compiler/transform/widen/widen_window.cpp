// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to local memory in a known pattern: loads or stores of the rows around it, and a shuffle.
#include "compiler/analysis/lane_pattern.hpp"
#include "compiler/ir/local_memory.hpp"
#include "compiler/transform/widen/widener.hpp"

#include <llvm/Analysis/VectorUtils.h>

#include <algorithm>
#include <utility>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr unsigned kLocalSpace = 3;
/// Most rows of a window; for more, as many scalar accesses are no slower. Rows extend beyond the accessed elements by
/// less than the margins of local memory (device/cpu/executor.hpp).
constexpr std::int64_t kRowLimit = 3;

/// The next instruction of the block that accesses memory, if that is a store.
llvm::StoreInst* nextStore(llvm::StoreInst& store) {
  for (llvm::Instruction* at = store.getNextNode(); at != nullptr; at = at->getNextNode())
    if (at->mayReadOrWriteMemory() || at->isTerminator()) return llvm::dyn_cast<llvm::StoreInst>(at);
  return nullptr;
}

} // namespace

/// Elements that the lanes access, relative to a uniform base.
struct Widener::Window {
  llvm::Type* element;
  unsigned size;                               ///< Size of an element, in bytes
  llvm::SmallVector<std::int64_t, 16> offsets; ///< Offset of each lane's element, in elements
  std::int64_t firstRow, endRow;               ///< Rows have one element for each lane.
};

std::optional<Widener::Window> Widener::windowOf(llvm::Instruction& access) {
  const Value* pointer = llvm::getLoadStorePointerOperand(&access);
  llvm::Type* type = llvm::getLoadStoreType(&access);
  if (isLaneAfterLane(access) || pointer->getType()->getPointerAddressSpace() != kLocalSpace ||
      !(type->isIntegerTy() || type->isFloatingPointTy()) || plan_.shapes.of(pointer).isAffine())
    return std::nullopt;
  const unsigned size = layout_.getTypeStoreSize(type).getFixedValue();
  if (size < 4 || layout_.getTypeSizeInBits(type) != size * 8) return std::nullopt;
  const auto pattern = LanePatterns(plan_.shapes, layout_, plan_.width).of(pointer);
  if (!pattern || !pattern->isDistinct()) return std::nullopt;
  Window window{type, size, {}, 0, 0};
  for (const std::int64_t offset : pattern->offsets) {
    if (offset % size != 0) return std::nullopt;
    window.offsets.push_back(offset / size);
  }
  const auto [least, greatest] = std::minmax_element(window.offsets.begin(), window.offsets.end());
  const auto rowOf = [&](std::int64_t offset) { return llvm::divideFloorSigned(offset, std::int64_t{plan_.width}); };
  window.firstRow = rowOf(*least);
  window.endRow = rowOf(*greatest) + 1;
  return window.endRow - window.firstRow <= kRowLimit ? std::optional(window) : std::nullopt;
}

Value* Widener::windowBase(llvm::Instruction& access) {
  return LanePatterns(plan_.shapes, layout_, plan_.width)
      .base(const_cast<Value*>(llvm::getLoadStorePointerOperand(&access)), builder_,
            [&](Value* value) { return uniform(value); });
}

Value* Widener::rowAddress(const Window& window, Value* base, std::int64_t row) {
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, row * plan_.width * window.size);
}

Value* Widener::loadWindow(const Window& window, Value* base, llvm::Align align) {
  llvm::SmallVector<Value*, 4> rows;
  for (std::int64_t row = window.firstRow; row < window.endRow; ++row)
    rows.push_back(builder_.CreateAlignedLoad(wide(window.element), rowAddress(window, base, row), align));
  llvm::SmallVector<int, 16> from;
  for (const std::int64_t offset : window.offsets)
    from.push_back(static_cast<int>(offset - window.firstRow * plan_.width));
  return builder_.CreateShuffleVector(llvm::concatenateVectors(builder_, rows), from);
}

/// `live`: mask of the active sources; null if all are.
void Widener::storeWindow(const llvm::StoreInst& store, const Window& window, Value* base, llvm::Align align,
                          Value* value, Value* live) {
  const auto sources = static_cast<unsigned>(window.offsets.size());
  for (std::int64_t row = window.firstRow; row < window.endRow; ++row) {
    llvm::SmallVector<int, 16> from(plan_.width, llvm::PoisonMaskElem);
    llvm::SmallVector<int, 16> fromLive(plan_.width, static_cast<int>(sources)); // elements for lanes that are off
    llvm::SmallVector<llvm::Constant*, 16> taken(plan_.width, builder_.getFalse());
    for (unsigned source = 0; source < sources; ++source) {
      const std::int64_t offset = window.offsets[source] - row * plan_.width;
      if (offset < 0 || offset >= plan_.width) continue;
      from[static_cast<unsigned>(offset)] = fromLive[static_cast<unsigned>(offset)] = static_cast<int>(source);
      taken[static_cast<unsigned>(offset)] = builder_.getTrue();
    }
    Value* part = builder_.CreateShuffleVector(value, from);
    Value* address = rowAddress(window, base, row);
    llvm::Constant* mask = llvm::ConstantVector::get(taken);
    if (mask->isNullValue()) continue;
    Value* there = mask->isAllOnesValue() ? nullptr : mask;
    if (live != nullptr)
      there = builder_.CreateShuffleVector(live, llvm::Constant::getNullValue(live->getType()), fromLive);
    storeTo(store, part, address, align, there);
  }
}

bool Widener::loadFromWindow(llvm::LoadInst& load) {
  const auto window = hasLiveLane(*load.getParent()) ? windowOf(load) : std::nullopt;
  if (!window) return false;
  defineParts(&load, {loadWindow(*window, windowBase(load), llvm::commonAlignment(load.getAlign(), window->size))});
  return true;
}

/// Whether at least one lane is active, so that the base is near valid memory.
bool Widener::hasLiveLane(const BasicBlock& block) const { return mask_ == nullptr || !perhapsEmpty_.contains(&block); }

/// Stores to a window. Two consecutive stores often fill each other's gaps; then whole rows are written at once.
bool Widener::storeToWindow(llvm::StoreInst& store) {
  const auto window = hasLiveLane(*store.getParent()) ? windowOf(store) : std::nullopt;
  if (!window) return false;
  llvm::StoreInst* first = std::exchange(postponed_, nullptr);
  if (first == nullptr) {
    llvm::StoreInst* next = nextStore(store);
    if (next != nullptr && llvm::getLoadStoreType(next) == window->element && windowOf(*next)) {
      postponed_ = &store;
      return true;
    }
  }
  Value* base = windowBase(store);
  Value* value = vector(store.getValueOperand());
  const llvm::Align align = llvm::commonAlignment(store.getAlign(), window->size);
  if (first == nullptr) {
    storeWindow(store, *window, base, align, value, mask_);
    return true;
  }
  const Window before = *windowOf(*first);
  Value* firstBase = windowBase(*first);
  Value* firstValue = vector(first->getValueOperand());
  const llvm::Align firstAlign = llvm::commonAlignment(first->getAlign(), window->size);
  Window both{window->element, window->size, before.offsets, std::min(before.firstRow, window->firstRow),
              std::max(before.endRow, window->endRow)};
  both.offsets.append(window->offsets);
  const bool areDisjoint = areSame(firstBase, base) && LanePattern{both.offsets, 0}.isDistinct();
  if (areDisjoint) {
    Value* live = mask_ == nullptr ? nullptr : llvm::concatenateVectors(builder_, {mask_, mask_});
    storeWindow(store, both, base, std::min(align, firstAlign), llvm::concatenateVectors(builder_, {firstValue, value}),
                live);
    return true;
  }
  storeWindow(store, before, firstBase, firstAlign, firstValue, mask_);
  storeWindow(store, *window, base, align, value, mask_);
  return true;
}

} // namespace clotho::compiler
