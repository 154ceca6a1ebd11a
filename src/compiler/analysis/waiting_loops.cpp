// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/waiting_loops.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;

/// The memory that the instruction reads such that another work-item's write may matter at once; null for others.
const llvm::Value* watched(const Instruction& instruction) {
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return exchange->getPointerOperand();
  if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return change->getPointerOperand();
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load != nullptr && !load->isSimple() ? load->getPointerOperand() : nullptr;
}

const llvm::Value* written(const Instruction& instruction) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->getPointerOperand();
  return llvm::isa<llvm::LoadInst>(instruction) ? nullptr : watched(instruction);
}

bool isWrittenElsewhere(const llvm::Function& kernel, const Instruction& reader) {
  const llvm::Value* memory = llvm::getUnderlyingObject(watched(reader));
  if (llvm::isa<llvm::AllocaInst>(memory)) return false; // nobody else's
  return llvm::any_of(llvm::instructions(kernel), [&](const Instruction& other) {
    const llvm::Value* pointer = &other == &reader ? nullptr : written(other);
    return pointer != nullptr && llvm::getUnderlyingObject(pointer) == memory;
  });
}

} // namespace

bool waitsForOthers(const llvm::Function& kernel, const llvm::LoopInfo& loops) {
  // What the branches in loops depend on, in the same loop.
  llvm::SmallPtrSet<const Instruction*, 32> seen;
  llvm::SmallVector<const Instruction*, 32> work;
  for (const llvm::BasicBlock& block : kernel)
    if (loops.getLoopFor(&block) != nullptr && block.getTerminator()->getNumSuccessors() > 1)
      work.push_back(block.getTerminator());
  while (!work.empty()) {
    const Instruction* instruction = work.pop_back_val();
    if (watched(*instruction) != nullptr && isWrittenElsewhere(kernel, *instruction)) return true;
    for (const llvm::Value* operand : instruction->operands())
      if (const auto* next = llvm::dyn_cast<Instruction>(operand);
          next != nullptr && loops.getLoopFor(next->getParent()) != nullptr && seen.insert(next).second)
        work.push_back(next);
  }
  return false;
}

} // namespace clotho::compiler
