// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/group_frame.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>

namespace clotho::compiler {
namespace {

constexpr std::uint64_t kFrameAlign = 128; // of the frame itself, see cpu::WorkerContext

llvm::Type* storedType(llvm::Type* type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

} // namespace

GroupFrame layoutFrame(const BarrierRegions& regions, const llvm::DataLayout& layout, llvm::LLVMContext& context) {
  struct Wanted {
    const llvm::Instruction* owner; ///< null: the flag of returned work-items
    llvm::Type* type;
    llvm::Align align;
    std::size_t order;
  };
  std::vector<Wanted> wanted;
  for (const auto& [value, keep] : regions.kept)
    if (keep == Keep::Item) {
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
    // An element as large as its alignment asks, in case the memory was aligned beyond its type.
    const std::uint64_t size = llvm::alignTo(layout.getTypeAllocSize(want.type), want.align);
    llvm::Type* type = want.type;
    if (size != layout.getTypeAllocSize(type)) type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), size);
    const GroupFrame::Slot slot{frame.bytesPerItem, type, std::min(want.align, llvm::Align(kFrameAlign))};
    (want.owner == nullptr ? frame.returned : frame.slots[want.owner]) = slot;
    frame.bytesPerItem += size;
  }
  return frame;
}

} // namespace clotho::compiler
