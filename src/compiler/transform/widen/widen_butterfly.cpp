// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Butterfly exchanges: accesses of data[i ^ stride], where the lanes' i are consecutive from a multiple of the width.
// The lanes access one such row in another order.
#include "compiler/ir/intrinsics.hpp"
#include "compiler/transform/widen/version_butterflies.hpp"
#include "compiler/transform/widen/widener.hpp"

#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {

using llvm::Value;

/// A row that lanes access in butterfly order: lane i accesses element i ^ stride, counted from `first`.
struct Widener::ButterflyRow {
  Value* first;  ///< the row's address
  Value* stride; ///< less than the width, uniform
  bool isRare;   ///< not a power of two
};

std::optional<Widener::ButterflyRow> Widener::butterflyRowOf(Value* pointer, llvm::Type* type) {
  using namespace llvm::PatternMatch;
  auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  if (address == nullptr || address->getNumIndices() != 1 || !llvm::isPowerOf2_32(plan_.width) ||
      !plan_.shapes.of(address->getPointerOperand()).isUniform() ||
      layout_.getTypeAllocSize(address->getSourceElementType()) != layout_.getTypeAllocSize(type))
    return std::nullopt;
  Value* root = address->getOperand(1);
  // No row crosses the limits of the type, so extended lanes are consecutive too.
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(root)) root = llvm::cast<llvm::CastInst>(root)->getOperand(0);
  Value *moving = nullptr, *resting = nullptr, *begin = nullptr, *lane = nullptr;
  if (!match(root, m_Xor(m_Value(moving), m_Value(resting)))) return std::nullopt;
  if (!plan_.shapes.of(resting).isUniform()) std::swap(moving, resting);
  if (!plan_.shapes.of(resting).isUniform() || !match(moving, m_DisjointOr(m_Value(begin), m_Value(lane))))
    return std::nullopt;
  if (!plan_.shapes.of(begin).isUniform()) std::swap(begin, lane);
  if (llvm::isa<llvm::TruncInst>(lane)) lane = llvm::cast<llvm::CastInst>(lane)->getOperand(0);
  const auto call = matchIntrinsic(lane);
  if (!plan_.shapes.of(begin).isUniform() || !call || call->intrinsic != Intrinsic::LaneId) return std::nullopt;
  Value *from = uniform(begin), *by = uniform(resting);
  llvm::Constant* within = llvm::ConstantInt::get(by->getType(), plan_.width - 1);
  Value* row = builder_.CreateAnd(builder_.CreateXor(from, by),
                                  llvm::ConstantInt::getSigned(by->getType(), -static_cast<std::int64_t>(plan_.width)));
  return ButterflyRow{firstLane(pointer, root, row), builder_.CreateAnd(by, within),
                      isRareButterfly(*llvm::cast<llvm::Instruction>(root))};
}

/// Butterfly shuffle: lane i gets the value of lane i ^ bits.
Value* Widener::butterfly(Value* lanes, unsigned bits) {
  if (bits == 0) return lanes;
  llvm::SmallVector<int, 16> from;
  for (unsigned lane = 0; lane < plan_.width; ++lane)
    from.push_back(static_cast<int>(lane ^ bits));
  return builder_.CreateShuffleVector(lanes, from);
}

/// Overload for a stride that is known only at run time: `row` has it if `bits` is not given.
Value* Widener::butterfly(Value* lanes, const ButterflyRow& row, std::optional<unsigned> bits) {
  if (bits) return butterfly(lanes, *bits);
  for (unsigned bit = 1; bit < plan_.width; bit *= 2) {
    Value* isSet =
        builder_.CreateIsNotNull(builder_.CreateAnd(row.stride, llvm::ConstantInt::get(row.stride->getType(), bit)));
    lanes = builder_.CreateSelect(isSet, butterfly(lanes, bit), lanes);
  }
  return lanes;
}

/// Emits a case for each power of two that the stride may be, for zero, and one for all others.
void Widener::forEachStride(const ButterflyRow& row, llvm::function_ref<void(std::optional<unsigned> bits)> body) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(row.stride)) return body(known->getZExtValue());
  if (row.isRare) return body(std::nullopt);
  llvm::BasicBlock *other = newBlock("butterfly.other"), *after = newBlock("butterfly.done");
  llvm::SwitchInst* choice = builder_.CreateSwitch(row.stride, other);
  const auto write = [&](llvm::BasicBlock* block, std::optional<unsigned> bits) {
    builder_.SetInsertPoint(block);
    body(bits);
    builder_.CreateBr(after);
  };
  auto* type = llvm::cast<llvm::IntegerType>(row.stride->getType());
  for (unsigned bits = 0; bits < plan_.width; bits = bits == 0 ? 1 : 2 * bits) {
    llvm::BasicBlock* block = newBlock("butterfly");
    choice->addCase(llvm::ConstantInt::get(type, bits), block);
    write(block, bits);
  }
  write(other, std::nullopt);
  builder_.SetInsertPoint(after);
}

bool Widener::loadButterfly(llvm::LoadInst& load) {
  const auto row = butterflyRowOf(load.getPointerOperand(), load.getType());
  if (!row) return false;
  llvm::SmallVector<std::pair<Value*, llvm::BasicBlock*>, 8> results;
  forEachStride(*row, [&](std::optional<unsigned> bits) {
    llvm::Type* type = wide(load.getType());
    Value* mask = mask_ == nullptr ? nullptr : butterfly(mask_, *row, bits);
    Value* lanes = loadFrom(load, type, row->first, load.getAlign(), mask);
    results.emplace_back(butterfly(lanes, *row, bits), builder_.GetInsertBlock());
  });
  if (results.size() == 1) {
    defineParts(&load, {results.front().first});
    return true;
  }
  llvm::PHINode* lanes = builder_.CreatePHI(wide(load.getType()), results.size());
  for (const auto& [result, block] : results)
    lanes->addIncoming(result, block);
  defineParts(&load, {lanes});
  return true;
}

bool Widener::storeButterfly(llvm::StoreInst& store) {
  const auto row = butterflyRowOf(store.getPointerOperand(), store.getValueOperand()->getType());
  if (!row) return false;
  Value* value = vector(store.getValueOperand());
  forEachStride(*row, [&](std::optional<unsigned> bits) {
    Value* lanes = butterfly(value, *row, bits);
    storeTo(store, lanes, row->first, store.getAlign(), mask_ == nullptr ? nullptr : butterfly(mask_, *row, bits));
  });
  return true;
}

} // namespace clotho::compiler
