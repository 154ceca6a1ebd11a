// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/waiting_loops.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
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

namespace {

/// Also what is computed anew in each round, of the same.
bool isSameEachRound(const llvm::Value* value, const llvm::Loop& loop) {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || !loop.contains(instruction)) return true;
  if (llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory()) return false;
  return llvm::all_of(instruction->operands(),
                      [&](const llvm::Value* operand) { return isSameEachRound(operand, loop); });
}

/// An exchange that changes nothing, or nothing more the second time, or takes what it finds: how OpenCL 1.x reads
/// atomically, tells others something, and takes locks.
bool onlyLooks(const llvm::AtomicRMWInst& change, const llvm::Loop& loop) {
  const auto* value = llvm::dyn_cast<llvm::ConstantInt>(change.getValOperand());
  switch (change.getOperation()) {
  case llvm::AtomicRMWInst::Xchg: return true;
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
  case llvm::AtomicRMWInst::Xor: return value != nullptr && value->isZero();
  case llvm::AtomicRMWInst::Or:
  case llvm::AtomicRMWInst::And:
  case llvm::AtomicRMWInst::UMax:
  case llvm::AtomicRMWInst::UMin:
  case llvm::AtomicRMWInst::Max:
  case llvm::AtomicRMWInst::Min: return isSameEachRound(change.getValOperand(), loop);
  default: return false;
  }
}

bool mayWaitFor(const Instruction& reader, const llvm::Loop& loop) {
  if (!mayReadForOthers(reader)) return false;
  if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&reader)) return onlyLooks(*change, loop);
  const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&reader);
  return exchange == nullptr || isSameEachRound(exchange->getCompareOperand(), loop);
}

bool endWaits(const llvm::Loop& loop) {
  llvm::SmallPtrSet<const Instruction*, 32> seen;
  llvm::SmallVector<const Instruction*, 32> work;
  const auto follow = [&](const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction != nullptr && loop.contains(instruction) && seen.insert(instruction).second)
      work.push_back(instruction);
  };
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  for (const llvm::BasicBlock* block : exiting)
    follow(block->getTerminator());
  while (!work.empty()) {
    const Instruction* instruction = work.pop_back_val();
    if (mayWaitFor(*instruction, loop)) return true;
    for (const llvm::Value* operand : instruction->operands())
      follow(operand);
    // Which value a phi has depends on the way to it; which ways there are, on no more than the loop's branches.
    if (llvm::isa<llvm::PHINode>(instruction) && instruction->getParent() != loop.getHeader())
      for (const llvm::BasicBlock* block : loop.blocks())
        if (block->getTerminator()->getNumSuccessors() > 1) follow(block->getTerminator());
  }
  return false;
}

} // namespace

bool mayReadForOthers(const Instruction& instruction) {
  constexpr unsigned kPrivateSpace = 0;
  const llvm::Value* memory = watched(instruction);
  if (memory == nullptr || memory->getType()->getPointerAddressSpace() == kPrivateSpace) return false;
  return !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(memory));
}

llvm::SmallVector<llvm::Loop*, 2> loopsThatWait(const llvm::LoopInfo& loops) {
  llvm::SmallVector<llvm::Loop*, 2> waiting;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (endWaits(*loop)) waiting.push_back(loop);
  return waiting;
}

llvm::AnalysisKey WaitingLoopsAnalysis::Key;

WaitingLoops WaitingLoopsAnalysis::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return {loopsThatWait(analyses.getResult<llvm::LoopAnalysis>(function))};
}

bool WaitingLoops::invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                              llvm::FunctionAnalysisManager::Invalidator& invalidator) {
  auto checker = preserved.getChecker<WaitingLoopsAnalysis>();
  return !(checker.preserved() || checker.preservedSet<llvm::AllAnalysesOn<llvm::Function>>()) ||
         invalidator.invalidate<llvm::LoopAnalysis>(function, preserved);
}

} // namespace clotho::compiler
