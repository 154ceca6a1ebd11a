// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/tile_accesses.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3;

/// Whether the intrinsic depends only on the work-item's ids and the launch, or is a barrier.
bool isKnownFact(const IntrinsicCall& call) {
  return isIdOrSize(call.intrinsic) || call.intrinsic == Intrinsic::Barrier;
}

/// Whether a barrier may follow a store, and so order writes of different work-items to one address.
bool comesBefore(llvm::ArrayRef<Instruction*> stores, llvm::ArrayRef<Instruction*> barriers) {
  return llvm::any_of(stores, [&](const Instruction* store) {
    return llvm::any_of(barriers,
                        [&](const Instruction* barrier) { return llvm::isPotentiallyReachable(store, barrier); });
  });
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

} // namespace

bool isLocalId(Value* value, unsigned dimension) {
  return isIntrinsic(withoutCasts(value, kSideBits), Intrinsic::LocalId, dimension);
}

bool isLocalId(const Index& index, unsigned dimension) {
  return index.constant == 0 && index.variable != nullptr && isLocalId(index.variable, dimension);
}

std::optional<AffineForm> offsetInTile(const Value& pointer, const llvm::DataLayout& layout) {
  const AffineAddress address = affineAddressOf(pointer, layout, {.wrapping = AffineOptions::Wrapping::None});
  if (!llvm::isa<llvm::GlobalVariable, llvm::Argument>(address.object)) return std::nullopt;
  return address.offset;
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

bool Accesses::hasBarrierIn(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                            const llvm::DominatorTree& dominators) const {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  return latch != nullptr && llvm::any_of(barriers, [&](const Instruction* barrier) {
           return loops.getLoopFor(barrier->getParent()) == &loop && dominators.dominates(barrier->getParent(), latch);
         });
}

} // namespace clotho::compiler
