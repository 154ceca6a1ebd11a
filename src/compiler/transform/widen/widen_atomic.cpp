// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic read-modify-write operations.
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/widen/widener.hpp"

#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace clotho::compiler {

using llvm::AtomicRMWInst;
using llvm::Value;

namespace {

/// The operation by which lanes' values can be combined before one atomic operation; None if they cannot.
/// Floating-point sums are ordered.
Combination combinationOf(const AtomicRMWInst& change) {
  if (!change.getType()->isIntegerTy()) return Combination::None;
  switch (change.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub: return Combination::Add;
  case AtomicRMWInst::And: return Combination::And;
  case AtomicRMWInst::Or: return Combination::Or;
  case AtomicRMWInst::Xor: return Combination::Xor;
  case AtomicRMWInst::Min: return Combination::SMin;
  case AtomicRMWInst::Max: return Combination::SMax;
  case AtomicRMWInst::UMin: return Combination::UMin;
  case AtomicRMWInst::UMax: return Combination::UMax;
  default: return Combination::None;
  }
}

/// Whether combining a value twice equals combining it once.
bool isIdempotent(Combination combination) {
  return combination != Combination::Add && combination != Combination::Xor;
}

} // namespace

/// Lowers an atomic on local memory to a load and a store, also if it is volatile, as all atomics of OpenCL 1.x are:
/// one thread runs the work-group, and no other sees the memory.
Value* Widener::changeLocalMemory(llvm::AtomicRMWInst& change) {
  constexpr unsigned kLocalSpace = 3;
  if (change.getPointerAddressSpace() != kLocalSpace) return nullptr;
  builder_.SetInsertPoint(&change);
  Value* before = builder_.CreateAlignedLoad(change.getType(), change.getPointerOperand(), change.getAlign());
  Value* after = llvm::buildAtomicRMWValue(change.getOperation(), builder_, before, change.getValOperand());
  builder_.CreateAlignedStore(after, change.getPointerOperand(), change.getAlign());
  change.eraseFromParent();
  builder_.SetInsertPoint(llvm::cast<llvm::Instruction>(before)->getParent());
  return before;
}

/// Combines the lanes' values and makes one atomic operation, if all lanes update one address. It is as if the lanes
/// ran one after the other without an access in between: each lane finds the old value combined with those of the lanes
/// before it.
bool Widener::changeOnce(AtomicRMWInst& change) {
  const Combination combination = combinationOf(change);
  Value* operand = change.getValOperand();
  if (combination == Combination::None || !plan_.shapes.of(change.getPointerOperand()).isUniform()) return false;
  const bool isSame = plan_.shapes.of(operand).isUniform();
  Value *lanes = nullptr, *all = nullptr;
  const auto ofLanes = [&] {
    if (lanes == nullptr) lanes = participants(vector(operand), combination);
    return lanes;
  };
  if (isSame && isIdempotent(combination)) {
    all = uniform(operand);
  } else if (isSame && combination == Combination::Add) {
    Value* count = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bitsOf(liveMask()));
    all = builder_.CreateMul(uniform(operand), builder_.CreateZExtOrTrunc(count, change.getType()));
  } else {
    all = reduceLanes(ofLanes(), combination);
  }
  auto* once = llvm::cast<AtomicRMWInst>(change.clone());
  once->setOperand(0, uniform(change.getPointerOperand()));
  once->setOperand(1, all);
  builder_.Insert(once, change.getName());
  Value* before = once;
  if (Value* local = changeLocalMemory(*once)) before = local;
  if (change.use_empty()) return true;
  Value* others = scanLanes(ofLanes(), combination, /*isExclusive=*/true);
  defineParts(&change, llvm::buildAtomicRMWValue(change.getOperation(), builder_, splat(before), others));
  return true;
}

} // namespace clotho::compiler
