// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Private memory, and accesses to private arrays that are interleaved by lane.
#include "compiler/transform/widen/lane_variables.hpp"
#include "compiler/transform/widen/widener.hpp"

#include <llvm/Analysis/ValueTracking.h>

namespace clotho::compiler {

using llvm::Value;

/// Allocates private variables: interleaved by lane if PrivateArrays allows it, otherwise one copy for each lane.
void Widener::createPrivateMemory() {
  for (llvm::Instruction& instruction : plan_.kernel.getEntryBlock()) {
    auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (memory == nullptr) continue;
    const std::uint64_t size = memory->getAllocationSize(layout_)->getFixedValue();
    Builder entry(entry_, entry_->begin());
    if (const unsigned unit = plan_.arrays.unitOf(memory)) {
      llvm::Type* row = wide(entry.getIntNTy(unit * 8));
      auto* made = entry.CreateAlloca(llvm::ArrayType::get(row, size / unit), nullptr, memory->getName());
      made->setAlignment(llvm::Align(layout_.getTypeStoreSize(row).getFixedValue()));
      memory_[memory] = made;
      declareLanes(*memory, *made, plan_.width, unit);
    } else {
      const LaneShape shape = plan_.shapes.of(memory);
      auto* made = entry.CreateAlloca(
          llvm::ArrayType::get(entry.getInt8Ty(), static_cast<std::uint64_t>(shape.stride()) * plan_.width), nullptr,
          memory->getName());
      made->setAlignment(memory->getAlign());
      define(memory, {shape, made, {}});
      declareLanes(*memory, *made, plan_.width, static_cast<std::uint64_t>(shape.stride()));
    }
  }
}

/// The row number if it is within the array; otherwise that of some other row.
Value* Widener::withinArray(const llvm::AllocaInst& memory, Value* row) {
  const std::uint64_t last = llvm::cast<llvm::ArrayType>(memory.getAllocatedType())->getNumElements() - 1;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(row))
    return constant->getZExtValue() <= last ? row : builder_.getInt32(0);
  if (!llvm::isGuaranteedNotToBeUndefOrPoison(row)) row = builder_.CreateFreeze(row);
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, row, builder_.getInt32(static_cast<unsigned>(last)));
}

/// Address of the row, if the index is uniform, or of each lane's element. `hasLane`: if no lane may be active, the
/// index is clamped to the array.
Value* Widener::privateAddress(const PrivateArrays::Access& access, std::uint64_t offset, bool hasLane) {
  llvm::AllocaInst* memory = memory_.lookup(access.array);
  // The sum is within the array, so 32 bits suffice.
  llvm::Type* i32 = builder_.getInt32Ty();
  const bool shared =
      llvm::all_of(access.offset.terms, [&](const auto& term) { return plan_.shapes.of(term.value).isUniform(); });
  Value* row = builder_.getInt32(access.offset.constant + offset);
  if (!shared) row = splat(row);
  for (const AffineForm::Term& term : access.offset.terms) {
    Value* index = shared ? uniform(term.value) : vector(term.value);
    index = builder_.CreateSExtOrTrunc(index, shared ? i32 : wide(i32));
    row =
        builder_.CreateAdd(row, builder_.CreateMul(index, llvm::ConstantInt::getSigned(index->getType(), term.scale)));
  }
  if (shared) {
    if (!hasLane) row = withinArray(*memory, row);
    return builder_.CreateGEP(memory->getAllocatedType()->getArrayElementType(), memory, row);
  }
  Value* element = builder_.CreateAdd(builder_.CreateMul(row, llvm::ConstantInt::get(row->getType(), plan_.width)),
                                      laneNumbers(i32, 1));
  return builder_.CreateGEP(memory->getAllocatedType()->getArrayElementType()->getScalarType(), memory,
                            builder_.CreateSExt(element, wide(builder_.getInt64Ty())));
}

/// The rows that a varying index may select, with the index value of each, if they are so few that selecting among all
/// is faster than a gather or scatter. The array is then indexed only by constants and is promoted to registers.
llvm::SmallVector<std::pair<Value*, Value*>, 8> Widener::fewRows(const PrivateArrays::Access& access,
                                                                 std::uint64_t offset) {
  constexpr std::int64_t kMost = 8;
  const auto& terms = access.offset.terms;
  if (terms.size() != 1 || plan_.shapes.of(terms.front().value).isUniform()) return {};
  Value* const index = terms.front().value;
  const std::int64_t scale = terms.front().scale;
  llvm::AllocaInst* memory = memory_.lookup(access.array);
  const auto* type = llvm::cast<llvm::ArrayType>(memory->getAllocatedType());
  const auto end = static_cast<std::int64_t>(type->getNumElements());
  const std::int64_t begin = access.offset.constant + static_cast<std::int64_t>(offset);
  if (scale <= 0 || begin < 0 || begin >= end || (begin / scale) + ((end - 1 - begin) / scale) + 1 > kMost) return {};
  llvm::SmallVector<std::pair<Value*, Value*>, 8> rows;
  for (std::int64_t i = -(begin / scale); begin + i * scale < end; ++i)
    rows.emplace_back(llvm::ConstantInt::getSigned(wide(index->getType()), i),
                      builder_.CreateConstGEP1_64(type->getElementType(), memory, begin + i * scale));
  return rows;
}

void Widener::loadPrivate(llvm::LoadInst& load, const PrivateArrays::Access& access) {
  note(load, AccessShape::Private);
  llvm::SmallVector<Value*, 4> parts;
  for (llvm::Type* scalar : scalarsOf(load.getType())) {
    const llvm::Align unit(layout_.getTypeStoreSize(scalar).getFixedValue()), row(unit.value() * plan_.width);
    if (const auto rows = fewRows(access, parts.size()); !rows.empty()) {
      Value* part = nullptr;
      for (const auto& [index, at] : rows) {
        Value* here = builder_.CreateAlignedLoad(wide(scalar), at, row);
        Value* isHere =
            part == nullptr ? nullptr : builder_.CreateICmpEQ(vector(access.offset.terms.front().value), index);
        part = part == nullptr ? here : builder_.CreateSelect(isHere, here, part);
      }
      parts.push_back(part);
      continue;
    }
    Value* address = privateAddress(access, parts.size(), hasLiveLane(*load.getParent()));
    if (address->getType()->isVectorTy())
      parts.push_back(gather(address, scalar, unit));
    else
      parts.push_back(builder_.CreateAlignedLoad(wide(scalar), address, row));
  }
  defineParts(&load, parts);
}

void Widener::storePrivate(llvm::StoreInst& store, const PrivateArrays::Access& access) {
  note(store, AccessShape::Private);
  unsigned offset = 0;
  // The memory is private, so inactive lanes may be rewritten with their old values.
  const auto change = [&](Value* part, Value* address, Value* mask) {
    const llvm::Align row(layout_.getTypeStoreSize(part->getType()->getScalarType()).getFixedValue() * plan_.width);
    if (mask != nullptr)
      part = builder_.CreateSelect(mask, part, builder_.CreateAlignedLoad(part->getType(), address, row));
    builder_.CreateAlignedStore(part, address, row);
  };
  for (Value* part : vectors(store.getValueOperand())) {
    const auto rows = fewRows(access, offset);
    for (const auto& [index, at] : rows)
      change(part, at, both(mask_, builder_.CreateICmpEQ(vector(access.offset.terms.front().value), index)));
    if (rows.empty()) {
      Value* address = privateAddress(access, offset, hasLiveLane(*store.getParent()));
      if (address->getType()->isVectorTy())
        scatter(part, address, llvm::Align(layout_.getTypeStoreSize(part->getType()->getScalarType()).getFixedValue()));
      else
        change(part, address, mask_);
    }
    ++offset;
  }
}

} // namespace clotho::compiler
