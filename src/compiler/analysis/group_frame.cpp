// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/group_frame.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>

namespace clotho::compiler {
namespace {

constexpr std::uint64_t kFrameAlign = 128; // of the frame itself, see cpu::WorkerContext

llvm::Type* storedType(llvm::Type* type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

/// Assigns a phi and its incoming values to one slot if no two of them are live across the same barrier. Values carried
/// around a loop with barriers then need no copies.
class SharedSlots {
 public:
  explicit SharedSlots(const BarrierRegions& regions) {
    unsigned end = 0;
    for (const auto& [block, next] : regions.after) {
      for (unsigned region : next)
        for (llvm::Instruction* value : regions.regions[region].liveIn) {
          llvm::BitVector& ends = livesAcross_[value];
          ends.resize(regions.after.size());
          ends.set(end);
        }
      ++end;
    }
    for (const auto& [value, storage] : regions.liveAcross)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value); phi != nullptr && storage == Storage::Item)
        for (llvm::Value* incoming : phi->incoming_values())
          if (auto* from = llvm::dyn_cast<llvm::Instruction>(incoming);
              from != nullptr && regions.liveAcross.lookup(from) == Storage::Item && regions.liveAcross.contains(from))
            join(leader(phi), leader(from));
  }

  /// The value that represents all values of the slot.
  const llvm::Instruction* leader(const llvm::Instruction* value) const {
    while (const llvm::Instruction* next = leaders_.lookup(value))
      value = next;
    return value;
  }

 private:
  void join(const llvm::Instruction* a, const llvm::Instruction* b) {
    if (a == b || livesAcross_[a].anyCommon(livesAcross_[b])) return;
    leaders_[b] = a;
    const llvm::BitVector both = livesAcross_[b];
    livesAcross_[a] |= both;
  }

  llvm::DenseMap<const llvm::Instruction*, llvm::BitVector> livesAcross_; ///< ends, by number
  llvm::DenseMap<const llvm::Instruction*, const llvm::Instruction*> leaders_;
};

} // namespace

GroupFrame layoutFrame(const BarrierRegions& regions, const llvm::DataLayout& layout, llvm::LLVMContext& context) {
  struct Wanted {
    const llvm::Instruction* owner; ///< null: the flag of returned work-items
    llvm::Type* type;
    llvm::Align align;
    std::size_t order;
  };
  std::vector<Wanted> wanted;
  const SharedSlots shared(regions);
  for (const auto& [value, storage] : regions.liveAcross)
    if (storage == Storage::Item && shared.leader(value) == value) {
      llvm::Type* type = storedType(value->getType());
      wanted.push_back({value, type, layout.getABITypeAlign(type), wanted.size()});
    }
  for (const llvm::AllocaInst* memory : regions.frameAllocas)
    wanted.push_back({memory, memory->getAllocatedType(),
                      std::max(memory->getAlign(), layout.getABITypeAlign(memory->getAllocatedType())), wanted.size()});
  if (regions.needsLiveFlags)
    wanted.push_back({nullptr, llvm::Type::getInt8Ty(context), llvm::Align(1), wanted.size()});

  // Widest alignment first: then each slot's offset is a multiple of its alignment, and so is any multiple of it.
  llvm::sort(wanted, [](const Wanted& a, const Wanted& b) {
    return a.align != b.align ? a.align > b.align : a.order < b.order;
  });
  GroupFrame frame;
  for (const Wanted& want : wanted) {
    // Makes the element as large as its alignment, if the memory was aligned beyond its type.
    const std::uint64_t size = llvm::alignTo(layout.getTypeAllocSize(want.type), want.align);
    llvm::Type* type = want.type;
    if (size != layout.getTypeAllocSize(type)) type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), size);
    const GroupFrame::Slot slot{frame.bytesPerItem, type, std::min(want.align, llvm::Align(kFrameAlign))};
    (want.owner == nullptr ? frame.returned : frame.slots[want.owner]) = slot;
    frame.bytesPerItem += size;
  }
  for (const auto& [value, storage] : regions.liveAcross)
    if (storage == Storage::Item) {
      const GroupFrame::Slot slot = frame.slots.find(shared.leader(value))->second;
      frame.slots[value] = slot;
    }
  return frame;
}

} // namespace clotho::compiler
