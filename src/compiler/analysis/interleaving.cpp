// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/interleaving.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kPrivateSpace = 0, kGlobalSpace = 1, kConstantSpace = 2;

/// Whether the pointer's memory belongs to one work-group alone or is shared by all: interleaving does not concern it.
bool isOfGroupOrShared(const llvm::Value& pointer) {
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  return space == kPrivateSpace || space == kGlobalSpace || space == kConstantSpace;
}

/// The regions from which an interleaving point may yet be reached; none if the kernel has no such point.
llvm::BitVector findRegionsBefore(const BarrierRegions& all) {
  llvm::BitVector before(static_cast<unsigned>(all.regions.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [number, region] : llvm::enumerate(all.regions)) {
      if (before.test(static_cast<unsigned>(number))) continue;
      const bool leads = llvm::any_of(region.ends, [&](const llvm::BasicBlock* end) {
        return isInterleavingPoint(*end) ||
               llvm::any_of(all.after.find(end)->second, [&](unsigned next) { return before.test(next); });
      });
      if (leads) before.set(static_cast<unsigned>(number));
      changed = changed || leads;
    }
  }
  return before;
}

} // namespace

bool touchesThreadsMemory(const llvm::Instruction& instruction) {
  if (!instruction.mayReadOrWriteMemory() || llvm::isa<llvm::FenceInst>(instruction)) return false;
  const auto call = matchIntrinsic(&instruction);
  if (call) return call->intrinsic == Intrinsic::PrintfBuffer; // Lines of printf must stay in order.
  if (llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return true;
  return llvm::any_of(instruction.operands(), [](const llvm::Use& operand) {
    return operand->getType()->isPtrOrPtrVectorTy() && !llvm::isa<llvm::Function>(operand) &&
           !isOfGroupOrShared(*operand);
  });
}

bool isInterleavingPoint(const llvm::BasicBlock& end) {
  const llvm::Instruction* last = end.getTerminator()->getPrevNode();
  return last != nullptr && isIntrinsic(last, Intrinsic::Barrier) && last->hasMetadata(kInterleaveName);
}

bool mayInterleave(const BarrierRegions& regions) {
  const llvm::BitVector before = findRegionsBefore(regions);
  return before.any() && llvm::none_of(before.set_bits(), [&](unsigned number) {
           return llvm::any_of(regions.regions[number].blocks, [](const llvm::BasicBlock* block) {
             return llvm::any_of(*block, touchesThreadsMemory);
           });
         });
}

} // namespace clotho::compiler
