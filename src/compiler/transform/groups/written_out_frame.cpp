// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/written_out_frame.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/ValueHandle.h>

#include <optional>
#include <vector>

namespace clotho::compiler {
namespace {

using llvm::Instruction;

struct Access {
  Instruction* instruction;
  std::int64_t begin, end; ///< Bytes of the frame from `begin` to before `end`
};

/// Accesses to the context array with their offsets; nothing if an offset is unknown.
std::optional<std::vector<Access>> accessesOf(llvm::Argument& frame) {
  const llvm::DataLayout& layout = frame.getParent()->getDataLayout();
  llvm::MapVector<llvm::Value*, std::int64_t> pointers;
  pointers[&frame] = 0;
  std::vector<Access> accesses;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const auto [pointer, offset] = *std::next(pointers.begin(), static_cast<std::ptrdiff_t>(i));
    for (const llvm::Use& use : pointer->uses()) {
      llvm::User* user = use.getUser();
      if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        llvm::APInt bytes(64, 0);
        if (!address->accumulateConstantOffset(layout, bytes)) return std::nullopt;
        pointers[address] = offset + bytes.getSExtValue();
        continue;
      }
      auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      const bool isPlain = (load != nullptr && load->isSimple()) || (store != nullptr && store->isSimple());
      if (!isPlain || llvm::getLoadStorePointerOperand(user) != pointer ||
          (store != nullptr && store->getValueOperand() == pointer))
        return std::nullopt;
      const llvm::TypeSize size = layout.getTypeStoreSize(llvm::getLoadStoreType(user));
      accesses.push_back(
          {llvm::cast<Instruction>(user), offset, offset + static_cast<std::int64_t>(size.getFixedValue())});
    }
  }
  return accesses;
}

/// Divides accesses into slots: accesses with a byte in common are in one slot.
std::vector<std::vector<Access>> slotsOf(std::vector<Access> accesses) {
  llvm::stable_sort(accesses, [](const Access& a, const Access& b) { return a.begin < b.begin; });
  std::vector<std::vector<Access>> slots;
  std::int64_t end = INT64_MIN;
  for (const Access& access : accesses) {
    if (slots.empty() || access.begin >= end) slots.emplace_back();
    slots.back().push_back(access);
    end = std::max(end, access.end);
  }
  return slots;
}

bool isOneElement(const std::vector<Access>& slot) {
  return llvm::all_of(slot, [&](const Access& access) {
    return access.begin == slot.front().begin && access.end == slot.front().end &&
           llvm::getLoadStoreType(access.instruction) == llvm::getLoadStoreType(slot.front().instruction);
  });
}

} // namespace

void forwardConstants(llvm::Argument& frame, const llvm::DominatorTree& tree) {
  const std::optional<std::vector<Access>> accesses = accessesOf(frame);
  if (!accesses) return;
  for (const std::vector<Access>& slot : slotsOf(*accesses)) {
    llvm::SmallVector<llvm::StoreInst*, 4> stores;
    llvm::SmallVector<llvm::WeakTrackingVH, 4> loads; // simplifying users of one may erase others
    for (const Access& access : slot)
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access.instruction))
        stores.push_back(store);
      else
        loads.push_back(access.instruction);
    if (!loads.empty()) {
      // Loads before any store read undefined contents.
      if (stores.size() != 1 || !isOneElement(slot)) continue;
      auto* constant = llvm::dyn_cast<llvm::Constant>(stores.front()->getValueOperand());
      if (constant == nullptr) continue;
      for (const llvm::WeakTrackingVH& load : loads)
        if (auto* known = llvm::dyn_cast_or_null<llvm::LoadInst>(static_cast<llvm::Value*>(load)))
          llvm::replaceAndRecursivelySimplify(known, constant, nullptr, &tree);
    }
    for (llvm::StoreInst* store : stores)
      store->eraseFromParent();
  }
}

void makeFrameOwn(llvm::Argument& frame) {
  const std::optional<std::vector<Access>> accesses = accessesOf(frame);
  if (!accesses || accesses->empty()) return;
  std::int64_t end = 0;
  for (const std::vector<Access>& slot : slotsOf(*accesses)) {
    // Only slots that are certainly promoted: others would take room on a thread's stack.
    if (!isOneElement(slot) || slot.front().begin < 0) return;
    end = std::max(end, slot.front().end);
  }
  llvm::IRBuilder<> builder(&*frame.getParent()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::AllocaInst* own = builder.CreateAlloca(
      llvm::ArrayType::get(builder.getInt8Ty(), static_cast<std::uint64_t>(end)), nullptr, "frame");
  own->setAlignment(llvm::Align(128)); // The frame has this alignment.
  frame.replaceAllUsesWith(own);
}

} // namespace clotho::compiler
