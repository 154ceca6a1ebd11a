// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/private_memory.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

/// All instructions that use the memory, as far as its address can be followed.
struct Touches {
  llvm::SmallPtrSet<const llvm::Instruction*, 16> accesses;
  llvm::SmallPtrSet<const llvm::Instruction*, 4> begins; // lifetime.start calls of the alloca
  llvm::SmallPtrSet<const llvm::Instruction*, 4> ends;
  bool escapes = false;
};

bool derivesPointer(const llvm::Instruction& user) {
  return llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user);
}

/// Whether the call may keep a copy of the pointer and use the memory after it returns.
bool capturesPointer(const llvm::CallBase& call, const llvm::Use& use) {
  if (!call.isDataOperand(&use)) return true;
  return !call.doesNotCapture(call.getDataOperandNo(&use));
}

Touches follow(const llvm::AllocaInst& memory) {
  Touches touches;
  llvm::SmallVector<const llvm::Instruction*, 16> work = {&memory};
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen = {&memory};
  while (!work.empty()) {
    const llvm::Instruction* pointer = work.pop_back_val();
    for (const llvm::Use& use : pointer->uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (const auto* marker = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user)) {
        const bool begins = marker->getIntrinsicID() == llvm::Intrinsic::lifetime_start;
        (begins ? touches.begins : touches.ends).insert(marker);
        continue;
      }
      touches.accesses.insert(user);
      if (derivesPointer(*user)) {
        // An address that is converted to an integer cannot be followed.
        if (llvm::isa<llvm::PtrToIntInst>(user)) touches.escapes = true;
        if (seen.insert(user).second) work.push_back(user);
      } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == pointer) touches.escapes = true;
      } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
        if (capturesPointer(*call, use)) touches.escapes = true;
      } else if (!llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user)) {
        touches.escapes = true;
      }
    }
  }
  return touches;
}

} // namespace

bool livesAcrossBarrier(const llvm::AllocaInst& memory, llvm::ArrayRef<const llvm::BasicBlock*> barrierBlocks) {
  if (barrierBlocks.empty()) return false;
  const Touches touches = follow(memory);
  // Without a marker for its beginning the memory is alive from the kernel's start.
  const bool marked = !touches.begins.empty();
  const llvm::Function& kernel = *memory.getFunction();

  // Forwards: may the memory hold something? Backwards: may it be accessed before its lifetime begins anew?
  enum Effect : unsigned char { None, Sets, Clears };
  llvm::DenseMap<const llvm::BasicBlock*, Effect> first, last;
  for (const llvm::BasicBlock& block : kernel)
    for (const llvm::Instruction& instruction : block) {
      const bool begins = touches.begins.contains(&instruction), ends = touches.ends.contains(&instruction);
      const bool accesses = touches.accesses.contains(&instruction);
      if (!begins && !ends && !accesses) continue;
      // For the blocks before, an access needs the contents and a lifetime marker does not. For the blocks behind,
      // anything but a lifetime end may have left contents.
      if (first.lookup(&block) == None) first[&block] = accesses ? Sets : Clears;
      last[&block] = ends || (begins && !touches.escapes) ? Clears : Sets;
    }

  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> holdsAtEnd, wantedAtStart;
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::BasicBlock& block : kernel) {
      const Effect after = last.lookup(&block);
      bool holds = after == Sets || (touches.escapes && !marked);
      if (after == None)
        holds = holds || llvm::any_of(llvm::predecessors(&block),
                                      [&](const llvm::BasicBlock* from) { return holdsAtEnd.contains(from); });
      if (holds) changed |= holdsAtEnd.insert(&block).second;
    }
    // Visits blocks in reverse, so that one iteration mostly suffices.
    for (const llvm::BasicBlock& block : llvm::reverse(kernel)) {
      const Effect before = first.lookup(&block);
      // An escaped address may be used by any instruction while the memory lives.
      bool wanted = before == Sets || (touches.escapes && before == None && !marked);
      if (before == None)
        wanted = wanted || llvm::any_of(llvm::successors(&block),
                                        [&](const llvm::BasicBlock* to) { return wantedAtStart.contains(to); });
      if (wanted) changed |= wantedAtStart.insert(&block).second;
    }
  }
  // If the address has escaped, the contents may be needed until the lifetime ends.
  return llvm::any_of(barrierBlocks, [&](const llvm::BasicBlock* block) {
    if (!holdsAtEnd.contains(block)) return false;
    return touches.escapes || llvm::any_of(llvm::successors(block),
                                           [&](const llvm::BasicBlock* to) { return wantedAtStart.contains(to); });
  });
}

bool isShownByDebuggers(const llvm::AllocaInst& memory) {
  return !llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(&memory)).empty();
}

} // namespace clotho::compiler
