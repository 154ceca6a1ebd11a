// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/initialised_arrays.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::Value;

constexpr std::uint64_t kMostBytes = 4096; ///< of variables that are looked at

/// Marks bytes of a type that no member has.
void addPadding(llvm::Type& type, std::uint64_t begin, const llvm::DataLayout& layout, llvm::BitVector& bytes) {
  const auto mark = [&](std::uint64_t from, std::uint64_t to) {
    if (from < to) bytes.set(static_cast<unsigned>(begin + from), static_cast<unsigned>(begin + to));
  };
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout& its = *layout.getStructLayout(structure);
    std::uint64_t end = 0;
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      const std::uint64_t offset = its.getElementOffset(i).getFixedValue();
      mark(end, offset);
      llvm::Type& member = *structure->getElementType(i);
      addPadding(member, begin + offset, layout, bytes);
      end = offset + layout.getTypeAllocSize(&member).getFixedValue();
    }
    mark(end, its.getSizeInBytes().getFixedValue());
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type);
             array != nullptr && array->getElementType()->isAggregateType()) {
    const std::uint64_t step = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      addPadding(*array->getElementType(), begin + i * step, layout, bytes);
  }
}

/// The offset of a pointer in the variable; nothing if it is to other memory, or not known.
std::optional<std::uint64_t> offsetIn(const llvm::AllocaInst& variable, const Value* pointer) {
  const llvm::DataLayout& layout = variable.getDataLayout();
  llvm::APInt offset(64, 0);
  for (;;) {
    pointer = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer);
    if (cast == nullptr) break;
    pointer = cast->getPointerOperand();
  }
  return pointer == &variable && offset.isNonNegative() ? std::optional(offset.getZExtValue()) : std::nullopt;
}

/// Bytes of a variable that surely are written in the block behind `start`, before another access of it.
bool isFilledBehind(const llvm::AllocaInst& variable, const llvm::Instruction& start, llvm::BitVector written) {
  const llvm::DataLayout& layout = variable.getDataLayout();
  const auto fill = [&](const Value* target, std::uint64_t bytes) {
    const auto offset = offsetIn(variable, target);
    if (offset && *offset < written.size())
      written.set(static_cast<unsigned>(*offset),
                  static_cast<unsigned>(std::min<std::uint64_t>(*offset + bytes, written.size())));
  };
  for (const auto& next : llvm::make_range(std::next(start.getIterator()), start.getParent()->end())) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&next)) {
      fill(store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue());
    } else if (const auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&next)) {
      const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(block);
      if (copy != nullptr && llvm::getUnderlyingObject(copy->getRawSource()) == &variable) return false;
      if (const auto* length = llvm::dyn_cast<llvm::ConstantInt>(block->getLength()))
        fill(block->getRawDest(), length->getZExtValue());
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&next)) {
      const Value* object = llvm::getUnderlyingObject(load->getPointerOperand());
      // It may have the variable's address.
      if (object == &variable || llvm::isa<llvm::PHINode, llvm::SelectInst>(object)) return false;
    } else if (next.mayReadFromMemory() && !next.isLifetimeStartOrEnd()) {
      return false;
    }
    if (written.all()) return true;
  }
  return false;
}

} // namespace

bool isInitialised(const llvm::AllocaInst& variable) {
  const llvm::DataLayout& layout = variable.getDataLayout();
  const auto size = variable.getAllocationSize(layout);
  if (!size || size->isZero() || size->getFixedValue() > kMostBytes) return false;
  llvm::BitVector padding(static_cast<unsigned>(size->getFixedValue()));
  if (!variable.isArrayAllocation()) addPadding(*variable.getAllocatedType(), 0, layout, padding);
  bool hasStart = false;
  for (const llvm::User* user : variable.users())
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
      hasStart = true;
      if (!isFilledBehind(variable, *call, padding)) return false;
    }
  return hasStart || isFilledBehind(variable, variable, padding);
}

} // namespace clotho::compiler
