// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/prefetch_groups.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kMostInstructions = 12; ///< most instructions that compute an address
constexpr unsigned kGlobal = 1;            ///< address space

/// Recomputes an address for the next work-group along dimension 0. `isFurtherDown`: the kernel uses ids only after the
/// point of insertion.
class NextGroup {
 public:
  NextGroup(llvm::IRBuilder<>& builder, bool isFurtherDown) : builder_(builder), isFurtherDown_(isFurtherDown) {}

  /// Whether the value depends only on ids along dimension 0 and on values that are uniform for the launch. Records
  /// whether it depends on the group.
  bool consider(const Value* value) {
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || !seen_.insert(instruction).second) return true;
    if (const auto call = matchIntrinsic(instruction)) {
      dependsOnGroup_ = dependsOnGroup_ || isOfGroup(*call);
      return call->dimension == 0;
    }
    return seen_.size() <= kMostInstructions &&
           llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(instruction) &&
           !instruction->isIntDivRem() &&
           llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) { return consider(operand.get()); });
  }
  bool dependsOnGroup() const { return dependsOnGroup_; }

  Value* make(Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return value;
    if (Value* known = made_.lookup(instruction)) return known;
    if (const auto call = matchIntrinsic(instruction)) {
      Value* answer = isFurtherDown_ ? createIntrinsic(builder_, call->intrinsic, call->dimension) : instruction;
      if (!isOfGroup(*call)) return made_[instruction] = answer;
      Value* step = builder_.getInt64(1);
      if (call->intrinsic == Intrinsic::GroupBase) step = createIntrinsic(builder_, Intrinsic::LocalSize);
      return made_[instruction] = builder_.CreateAdd(answer, step);
    }
    Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands())
      operand.set(make(operand.get()));
    // A next group need not exist: prefetches take any address, even poison.
    builder_.Insert(copy, "ahead");
    return made_[instruction] = copy;
  }

 private:
  static bool isOfGroup(const IntrinsicCall& call) {
    return call.intrinsic == Intrinsic::GroupId || call.intrinsic == Intrinsic::GroupBase;
  }

  llvm::IRBuilder<>& builder_;
  const bool isFurtherDown_;
  llvm::SmallPtrSet<const Instruction*, 16> seen_;
  llvm::DenseMap<const Instruction*, Value*> made_;
  bool dependsOnGroup_ = false;
};

/// Blocks that run once and before the first barrier. A block with a barrier counts up to it.
llvm::SmallVector<llvm::BasicBlock*, 8> beforeBarriers(llvm::Function& kernel, const llvm::LoopInfo& loops) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> behind;
  llvm::SmallVector<const llvm::BasicBlock*, 16> work;
  for (const Instruction& instruction : llvm::instructions(kernel))
    if (isIntrinsic(&instruction, Intrinsic::Barrier)) work.push_back(instruction.getParent());
  while (!work.empty())
    for (const llvm::BasicBlock* next : llvm::successors(work.pop_back_val()))
      if (behind.insert(next).second) work.push_back(next);
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
  for (llvm::BasicBlock& block : kernel)
    if (!behind.contains(&block) && loops.getLoopFor(&block) == nullptr) blocks.push_back(&block);
  return blocks;
}

/// Whether the lanes access consecutive global memory.
bool isOfRow(const Instruction& access, const LaneShapes& shapes) {
  const Value* pointer = llvm::getLoadStorePointerOperand(&access);
  const LaneShape shape = shapes.of(pointer);
  const auto size = access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue();
  return !access.isVolatile() && !access.isAtomic() && pointer->getType()->getPointerAddressSpace() == kGlobal &&
         shape.isAffine() && shape.stride() == static_cast<std::int64_t>(size);
}

/// Emits a prefetch of the access for the next group; null if its address is not known in advance.
Instruction* prefetch(Instruction& access, Instruction& where) {
  llvm::IRBuilder<> builder(&where);
  const bool writes = llvm::isa<llvm::StoreInst>(access);
  NextGroup next(builder, writes);
  Value* pointer = llvm::getLoadStorePointerOperand(&access);
  if (!next.consider(pointer) || !next.dependsOnGroup()) return nullptr;
  constexpr unsigned kSecondCache = 2, kAllCaches = 3;
  Value* address = next.make(pointer);
  return builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                                 {address, builder.getInt32(writes ? 1 : 0),
                                  builder.getInt32(writes ? kAllCaches : kSecondCache), builder.getInt32(1)});
}

/// Loops over rows would prefetch the same lines for each row.
bool hasSeveralRows(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const Instruction& instruction) {
    const auto call = matchIntrinsic(&instruction);
    return call && call->intrinsic == Intrinsic::LocalId && call->dimension != 0;
  });
}

} // namespace

bool prefetchGroups(llvm::Function& kernel, const LaneShapes& shapes, const llvm::LoopInfo& loops) {
  if (!callsIntrinsic(kernel, Intrinsic::Barrier) || hasSeveralRows(kernel)) return false;
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
  for (llvm::BasicBlock* block : beforeBarriers(kernel, loops))
    for (Instruction& instruction : *block) {
      if (isIntrinsic(&instruction, Intrinsic::Barrier)) break;
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && isOfRow(*load, shapes))
        loads.push_back(load);
    }
  llvm::SmallVector<Instruction*, 8> made;
  for (llvm::LoadInst* load : loads)
    if (Instruction* ahead = prefetch(*load, *load)) made.push_back(ahead);
  if (made.empty()) return false;
  if (factsOf(kernel).nonTemporalUnits == 0) return true;
  // Stores come all at once, after a barrier, and each would wait for its line. NonTemporalStoresPass decides for each
  // launch which of these prefetches are useful.
  llvm::SmallVector<Instruction*, 4> stores;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (instruction.hasMetadata(kNonTemporalName) && isOfRow(instruction, shapes)) stores.push_back(&instruction);
  Instruction& where = *made.back()->getNextNode();
  for (Instruction* store : stores)
    if (Instruction* ahead = prefetch(*store, where)) made.push_back(ahead);
  for (Instruction* ahead : made)
    ahead->setMetadata(kNonTemporalName, llvm::MDNode::get(kernel.getContext(), {}));
  return true;
}

} // namespace clotho::compiler
