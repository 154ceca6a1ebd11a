// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/known_accesses.hpp"

#include "compiler/ir/vector_lanes.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Operand number of the mask of LLVM's masked accesses; nothing for other instructions.
std::optional<unsigned> maskOperand(const Instruction& access) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&access);
  if (call == nullptr) return std::nullopt;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_gather: return 1;
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter: return 2;
  default: return std::nullopt;
  }
}

bool isStored(const Instruction& access) { return access.getType()->isVoidTy(); }

llvm::Type* accessedType(const Instruction& access) {
  return isStored(access) ? access.getOperand(0)->getType() : access.getType();
}

/// Whether a lane is active, as far as that is known at compile time.
enum class Live { No, Yes, Perhaps };

/// Whether the mask, which may be computed from others, has the lane set.
Live liveLane(Value& mask, unsigned lane, ConstantOf constantOf) {
  using namespace llvm::PatternMatch;
  if (const llvm::Constant* known = constantOf(mask)) {
    const auto* bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(lane));
    return bit == nullptr ? Live::Perhaps : bit->isOne() ? Live::Yes : Live::No;
  }
  Value *first = nullptr, *second = nullptr;
  if (match(&mask, m_LogicalAnd(m_Value(first), m_Value(second)))) {
    const Live a = liveLane(*first, lane, constantOf), b = liveLane(*second, lane, constantOf);
    return a == Live::No || b == Live::No ? Live::No : a == Live::Yes && b == Live::Yes ? Live::Yes : Live::Perhaps;
  }
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&mask)) {
    const std::optional<VectorLane> from = sourceOf(*shuffle, lane);
    return from ? liveLane(*from->vector, from->number, constantOf) : Live::Perhaps;
  }
  std::uint64_t number = 0;
  if (match(&mask, m_InsertElt(m_Value(first), m_Value(second), m_ConstantInt(number)))) {
    if (number != lane) return liveLane(*first, lane, constantOf);
    const auto* bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(constantOf(*second));
    return bit == nullptr ? Live::Perhaps : bit->isOne() ? Live::Yes : Live::No;
  }
  return Live::Perhaps;
}

Value* pointerOf(const Instruction& access) {
  if (const Value* pointer = llvm::getLoadStorePointerOperand(&access)) return const_cast<Value*>(pointer);
  return access.getOperand(isStored(access) ? 1 : 0);
}

bool isPlain(const llvm::Type& scalar, const llvm::DataLayout& layout) {
  if (!scalar.isIntegerTy() && !scalar.isFloatingPointTy()) return false;
  auto* type = const_cast<llvm::Type*>(&scalar);
  const std::uint64_t bits = layout.getTypeSizeInBits(type);
  return llvm::isPowerOf2_64(bits) && bits >= 8 && bits <= 64 && bits == layout.getTypeAllocSizeInBits(type);
}

/// Fills in `offsets`. False if an offset is not known or not in the array.
bool find(KnownAccess& access, const Value& array, ConstantOf constantOf, std::int64_t unitBytes,
          std::int64_t mostBytes) {
  const llvm::DataLayout& layout = access.instruction->getDataLayout();
  const std::optional<Offsets> starts = bytesFrom(array, pointerOf(*access.instruction), constantOf, layout);
  if (!starts) return false;
  const llvm::Type* scalar = accessedType(*access.instruction)->getScalarType();
  const auto bytes =
      static_cast<std::int64_t>(layout.getTypeStoreSize(const_cast<llvm::Type*>(scalar)).getFixedValue());
  Value* mask = access.mask();
  access.isMaskKnown = true;
  for (unsigned lane = 0; lane < access.lanes(); ++lane) {
    Live live = mask == nullptr ? Live::Yes : liveLane(*mask, lane, constantOf);
    const std::int64_t start = starts->size() == 1 ? starts->front() : (*starts)[lane];
    if (live != Live::No && (start < -mostBytes || start > mostBytes)) return false;
    std::int64_t first = live == Live::No ? 0 : starts->size() == 1 ? start + lane * bytes : start;
    // Bytes before the array are not used: a load reads them only as part of a wider one.
    if (first < 0 && !access.isStore()) {
      live = Live::No;
      first = 0;
    }
    if (first < 0 || first > mostBytes - bytes || first % unitBytes != 0) return false;
    access.isMaskKnown = access.isMaskKnown && live != Live::Perhaps;
    for (std::int64_t unit = 0; unit < bytes / unitBytes; ++unit)
      access.offsets.push_back(live == Live::No ? -1 : first / unitBytes + unit);
  }
  if (access.isMaskKnown || !access.isStore()) return true;
  // If several lanes write to one element, the last writer is not known.
  Offsets sorted;
  llvm::copy_if(access.offsets, std::back_inserter(sorted), [](std::int64_t offset) { return offset >= 0; });
  llvm::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

} // namespace

std::optional<Offsets> bytesFrom(const Value& array, Value* pointer, ConstantOf constantOf,
                                 const llvm::DataLayout& layout) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(pointer->getType());
  const unsigned lanes = vector == nullptr ? 1 : vector->getNumElements();
  if (pointer == &array) return Offsets{0};
  if (Value* same = vector == nullptr ? nullptr : llvm::getSplatValue(pointer)) {
    const std::optional<Offsets> one = bytesFrom(array, same, constantOf, layout);
    return one ? std::optional(Offsets(lanes, one->front())) : std::nullopt;
  }
  auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer);
  if (address == nullptr) return std::nullopt;
  std::optional<Offsets> offsets = bytesFrom(array, address->getPointerOperand(), constantOf, layout);
  if (!offsets) return std::nullopt;
  if (offsets->size() != lanes) offsets->assign(lanes, offsets->front());
  for (auto type = llvm::gep_type_begin(address); type != llvm::gep_type_end(address); ++type) {
    const llvm::Constant* index = constantOf(*type.getOperand());
    if (type.isStruct() || index == nullptr) return std::nullopt;
    const std::uint64_t stride = type.getSequentialElementStride(layout).getFixedValue();
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(
          index->getType()->isVectorTy() ? index->getAggregateElement(lane) : index);
      if (number == nullptr || number->getBitWidth() > 64) return std::nullopt;
      // Address arithmetic wraps around.
      (*offsets)[lane] = static_cast<std::int64_t>(static_cast<std::uint64_t>((*offsets)[lane]) +
                                                   static_cast<std::uint64_t>(number->getSExtValue()) * stride);
    }
  }
  return offsets;
}

Value* KnownAccess::mask() const {
  const std::optional<unsigned> operand = maskOperand(*instruction);
  return operand ? instruction->getOperand(*operand) : nullptr;
}

Value* KnownAccess::otherwise() const {
  return !isStore() && maskOperand(*instruction) ? instruction->getOperand(2) : nullptr;
}

unsigned KnownAccess::lanes() const {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(accessedType(*instruction));
  return vector == nullptr ? 1 : vector->getNumElements();
}

bool collectLocalAccesses(Value& pointer, llvm::SmallVectorImpl<Instruction*>& accesses) {
  llvm::SmallSetVector<Value*, 16> pointers;
  llvm::SmallPtrSet<const Instruction*, 32> seen;
  pointers.insert(&pointer);
  for (std::size_t i = 0; i < pointers.size(); ++i)
    for (const llvm::Use& use : pointers[i]->uses()) {
      auto* user = llvm::dyn_cast<Instruction>(use.getUser());
      if (user == nullptr) return false;
      if (llvm::isa<llvm::GetElementPtrInst, llvm::InsertElementInst, llvm::ShuffleVectorInst>(user)) {
        pointers.insert(user);
        continue;
      }
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      const bool isAccess =
          maskOperand(*user) || (load != nullptr && load->isSimple()) || (store != nullptr && store->isSimple());
      if (!isAccess || use.getOperandNo() != (isStored(*user) ? 1U : 0U)) return false;
      if (seen.insert(user).second) accesses.push_back(user);
    }
  return true;
}

std::optional<KnownAccesses> knownAccesses(llvm::Argument& array, std::int64_t mostBytes,
                                           llvm::function_ref<Iterations(Instruction&)> iterationsOf) {
  llvm::SmallVector<Instruction*, 64> accesses;
  if (!collectLocalAccesses(array, accesses) || accesses.empty()) return std::nullopt;
  const llvm::DataLayout& layout = array.getParent()->getDataLayout();
  KnownAccesses found{accesses.front()->getType(), 8, 0, {}};
  llvm::SmallPtrSet<llvm::Type*, 4> scalars;
  for (const Instruction* access : accesses) {
    llvm::Type* scalar = accessedType(*access)->getScalarType();
    if (!isPlain(*scalar, layout)) return std::nullopt;
    scalars.insert(scalar);
    found.unitBytes =
        std::min(found.unitBytes, static_cast<std::int64_t>(layout.getTypeStoreSize(scalar).getFixedValue()));
  }
  found.unit = scalars.size() == 1
                   ? *scalars.begin()
                   : llvm::IntegerType::get(array.getContext(), static_cast<unsigned>(found.unitBytes) * 8);
  for (Instruction* instruction : accesses) {
    const Iterations iterations = iterationsOf(*instruction);
    for (unsigned iteration = 0; iteration < iterations.count; ++iteration) {
      KnownAccess access{instruction, {}, true};
      const auto constantOf = [&](Value& value) { return iterations.constantOf(value, iteration); };
      if (!find(access, array, constantOf, found.unitBytes, mostBytes)) return std::nullopt;
      for (const std::int64_t offset : access.offsets)
        found.end = std::max(found.end, offset + 1);
      found.all.push_back(std::move(access));
    }
  }
  return found;
}

} // namespace clotho::compiler
