// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/waiting_loops.hpp"

#include "compiler/analysis/exchange_loops.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Instruction;

/// The memory of a read that may see another work-item's write: a read-modify-write or an atomic or volatile load. Null
/// for other instructions.
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

/// How code may change memory. OnlyIfShared: only if arguments share memory.
enum class Change : std::uint8_t { None, OnlyIfShared, Perhaps };

/// Whether another instruction of the kernel changes what the reader reads. Through other arguments only atomic writes
/// can: others would be data races.
Change changeElsewhere(const llvm::Function& kernel, const Instruction& reader) {
  const llvm::Value* memory = llvm::getUnderlyingObject(watched(reader));
  if (llvm::isa<llvm::AllocaInst>(memory)) return Change::None; // No other work-item writes private memory.
  const auto isShareable = [](const llvm::Value* value) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(value);
    return argument != nullptr && !argument->hasNoAliasAttr();
  };
  Change change = Change::None;
  for (const Instruction& other : llvm::instructions(kernel)) {
    const llvm::Value* pointer = &other == &reader ? nullptr : written(other);
    const llvm::Value* to = pointer == nullptr ? nullptr : llvm::getUnderlyingObject(pointer);
    if (to == memory) return Change::Perhaps;
    if (to != nullptr && other.isAtomic() && isShareable(to) && isShareable(memory) &&
        to->getType() == memory->getType())
      change = Change::OnlyIfShared;
  }
  return change;
}

/// Whether the value is the same in each iteration, including values that each iteration recomputes from invariant
/// ones.
bool isSameInEachIteration(const llvm::Value* value, const llvm::Loop& loop) {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || !loop.contains(instruction)) return true;
  if (llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory()) return false;
  return llvm::all_of(instruction->operands(),
                      [&](const llvm::Value* operand) { return isSameInEachIteration(operand, loop); });
}

/// Whether the loop changes the memory by this instruction alone.
bool isOnlyChange(const llvm::AtomicRMWInst& change, const llvm::Loop& loop) {
  const llvm::Value* memory = llvm::getUnderlyingObject(change.getPointerOperand());
  return llvm::all_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    return llvm::all_of(*block, [&](const Instruction& other) {
      const llvm::Value* pointer = nullptr;
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&other)) pointer = store->getPointerOperand();
      if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&other)) pointer = atomic->getPointerOperand();
      if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&other))
        pointer = exchange->getPointerOperand();
      return &other == &change || pointer == nullptr || llvm::getUnderlyingObject(pointer) != memory;
    });
  });
}

/// Whether the read-modify-write only serves to read. Either it leaves memory as it is, or changes nothing when
/// repeated, or takes what it finds, or the loop undoes the addition. OpenCL 1.x programs read atomically, set flags
/// and take locks like this.
bool onlyLooks(const llvm::AtomicRMWInst& change, const llvm::Loop& loop) {
  const auto* value = llvm::dyn_cast<llvm::ConstantInt>(change.getValOperand());
  switch (change.getOperation()) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
    return (value != nullptr && value->isZero()) || !isSameInEachIteration(change.getValOperand(), loop) ||
           !isOnlyChange(change, loop);
  case llvm::AtomicRMWInst::FAdd:
  case llvm::AtomicRMWInst::FSub:
    return !isSameInEachIteration(change.getValOperand(), loop) || !isOnlyChange(change, loop);
  case llvm::AtomicRMWInst::Or:
  case llvm::AtomicRMWInst::And:
  case llvm::AtomicRMWInst::UMax:
  case llvm::AtomicRMWInst::UMin:
  case llvm::AtomicRMWInst::Max:
  case llvm::AtomicRMWInst::Min: return isSameInEachIteration(change.getValOperand(), loop);
  default: return true;
  }
}

bool mayWaitFor(const Instruction& reader, const llvm::Loop& loop) {
  if (!mayReadForOthers(reader)) return false;
  const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&reader);
  return change == nullptr || onlyLooks(*change, loop);
}

/// Whether the phi's value depends on the path taken through the loop.
bool mergesWays(const llvm::PHINode& phi, const llvm::Loop& loop) {
  return phi.getParent() != loop.getHeader() || loop.getLoopLatch() == nullptr;
}

/// Whether the block is outside the loop and reachable. An unreachable block, such as the default of an exhaustive
/// switch, is no exit.
bool isEnd(const llvm::BasicBlock& block, const llvm::Loop& loop) {
  return !loop.contains(&block) && !llvm::isa<llvm::UnreachableInst>(*block.getFirstNonPHIOrDbgOrLifetime());
}

/// Whether the load may read what the store has written: private memory that is not in registers, or memory through the
/// same pointer.
bool mayFind(const llvm::LoadInst& load, const llvm::StoreInst& store) {
  constexpr unsigned kPrivateSpace = 0;
  const llvm::Value *from = llvm::getUnderlyingObject(load.getPointerOperand()),
                    *to = llvm::getUnderlyingObject(store.getPointerOperand());
  const auto isUnknown = [](const llvm::Value* memory) {
    return memory->getType()->getPointerAddressSpace() == kPrivateSpace && !llvm::isIdentifiedObject(memory);
  };
  return from == to || isUnknown(from) || isUnknown(to);
}

using LoopSet = llvm::SmallPtrSet<const llvm::Loop*, 8>;

/// Whether code after the loop cannot tell by which exit the loop ended.
bool leavesOneWay(const llvm::Loop& loop) {
  const llvm::BasicBlock* exit = loop.getUniqueExitBlock();
  return exit != nullptr && (loop.getExitingBlock() != nullptr || exit->phis().empty());
}

/// Loops of a function, and those that end without other work-items.
struct Loops {
  const llvm::LoopInfo& all;
  const llvm::DominatorTree& dominators;
  bool mayAssumeApart; ///< whether it may assume that arguments share no memory
  LoopSet endAlone;
  LoopSet endIfApart = {}; ///< loops that end if no arguments share memory

  /// Whether the block is in an inner loop that always ends and has one way out. `used`: a block whose phis matter;
  /// they may count the iterations of an inner loop that contains it.
  bool isPassed(const llvm::BasicBlock& block, const llvm::Loop& loop, const llvm::BasicBlock* used = nullptr) const {
    for (const llvm::Loop* inner = all.getLoopFor(&block); inner != &loop; inner = inner->getParentLoop())
      if (endAlone.contains(inner) && leavesOneWay(*inner) && (used == nullptr || !inner->contains(used))) return true;
    return false;
  }
};

/// Whether the loop's exit conditions depend on an instruction for which `matches` is true.
bool endDependsOn(const llvm::Loop& loop, const Loops& loops, llvm::function_ref<bool(const Instruction&)> matches) {
  llvm::SmallPtrSet<const Instruction*, 32> seen;
  llvm::SmallVector<const Instruction*, 32> work;
  const auto follow = [&](const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction != nullptr && loop.contains(instruction) && seen.insert(instruction).second)
      work.push_back(instruction);
  };
  const auto followWays = [&](const llvm::BasicBlock* used = nullptr) {
    for (const llvm::BasicBlock* block : loop.blocks())
      if (block->getTerminator()->getNumSuccessors() > 1 && !loops.isPassed(*block, loop, used))
        follow(block->getTerminator());
  };
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (llvm::none_of(llvm::successors(block), [&](const llvm::BasicBlock* next) { return isEnd(*next, loop); }))
      continue;
    follow(block->getTerminator());
    // Not every iteration reaches the block.
    if (latch == nullptr || !loops.dominators.dominates(block, latch)) followWays();
  }
  while (!work.empty()) {
    const Instruction* instruction = work.pop_back_val();
    if (matches(*instruction)) return true;
    for (const llvm::Value* operand : instruction->operands())
      follow(operand);
    // The value of a phi depends on the path to it, and so on the branches of the loop.
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
    if (phi != nullptr && mergesWays(*phi, loop)) followWays(phi->getParent());
    // A loaded value depends on the stores that may have written it.
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
    if (load == nullptr) continue;
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const Instruction& other : *block)
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&other); store != nullptr && mayFind(*load, *store)) {
          follow(store);
          followWays();
        }
  }
  return false;
}

/// Whether the loop reads for others at all. Few loops do, and the stores and branches that a read depends on are many
/// in large functions.
bool readsForOthers(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(),
                      [](const llvm::BasicBlock* block) { return llvm::any_of(*block, mayReadForOthers); });
}

/// Whether the loop ends even if no other work-item progresses.
bool endsAlone(const llvm::Loop& loop, Loops& loops) {
  if (endsWithoutOthers(loop, loops.all, loops.dominators)) return true;
  bool assumesApart = false;
  const llvm::Value* taken = memoryOfTakenElements(loop, loops.all, loops.dominators, assumesApart);
  if (taken == nullptr || endDependsOn(loop, loops, [&](const Instruction& reader) {
        return mayWaitFor(reader, loop) && llvm::getUnderlyingObject(watched(reader)) != taken;
      }))
    return false;
  if (assumesApart) loops.endIfApart.insert(&loop);
  return !assumesApart || loops.mayAssumeApart;
}

Loops lookAt(const llvm::LoopInfo& all, const llvm::DominatorTree& dominators, bool mayAssumeApart) {
  Loops loops{all, dominators, mayAssumeApart, {}};
  // Visits inner loops first, since outer loops are analysed by means of them.
  const auto outerFirst = all.getLoopsInPreorder();
  for (const llvm::Loop* loop : llvm::reverse(outerFirst))
    if (endsAlone(*loop, loops)) loops.endAlone.insert(loop);
  return loops;
}

/// Whether a branch in the loop depends on what another work-item may have changed.
Change branchesOnOthers(const llvm::Function& kernel, const llvm::Loop& loop, const Loops& loops) {
  llvm::SmallPtrSet<const Instruction*, 32> seen;
  llvm::SmallVector<const Instruction*, 32> work;
  const auto followWays = [&](const llvm::BasicBlock* used = nullptr) {
    for (const llvm::BasicBlock* block : loop.blocks())
      if (block->getTerminator()->getNumSuccessors() > 1 && !loops.isPassed(*block, loop, used) &&
          seen.insert(block->getTerminator()).second)
        work.push_back(block->getTerminator());
  };
  followWays();
  Change change = Change::None;
  while (!work.empty()) {
    const Instruction* instruction = work.pop_back_val();
    if (watched(*instruction) != nullptr) change = std::max(change, changeElsewhere(kernel, *instruction));
    if (change == Change::Perhaps) return change;
    if (llvm::isa<llvm::PHINode>(instruction) && loop.contains(instruction)) followWays(instruction->getParent());
    for (const llvm::Value* operand : instruction->operands())
      if (const auto* next = llvm::dyn_cast<Instruction>(operand);
          next != nullptr && loops.all.getLoopFor(next->getParent()) != nullptr && seen.insert(next).second)
        work.push_back(next);
  }
  return change;
}

/// Whether the loop changes what the load reads. OnlyIfShared: only if arguments share memory.
Change changeOf(const llvm::LoadInst& load, const llvm::Loop& loop) {
  constexpr unsigned kConstantSpace = 2;
  if (!load.isSimple()) return Change::Perhaps;
  if (load.getPointerAddressSpace() == kConstantSpace) return Change::None;
  const llvm::Value* from = llvm::getUnderlyingObject(load.getPointerOperand());
  Change change = Change::None;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& other : *block) {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&other);
      if (!other.mayWriteToMemory() || llvm::isa<llvm::LoadInst>(other) ||
          (intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic()))
        continue;
      const llvm::Value* pointer = written(other);
      const llvm::Value* to = pointer == nullptr ? nullptr : llvm::getUnderlyingObject(pointer);
      if (to != nullptr && llvm::isa<llvm::Argument>(from) && llvm::isa<llvm::Argument>(to) && from != to)
        change = Change::OnlyIfShared;
      else if (to == nullptr || from == to || !llvm::isIdentifiedObject(to) ||
               !(llvm::isIdentifiedObject(from) || llvm::isa<llvm::Argument>(from)))
        return Change::Perhaps;
    }
  return change;
}

/// Whether the loop ends whatever other work-items do: each iteration reaches all exiting blocks, and their conditions
/// depend on no memory that can change.
bool endsInAnyCase(const llvm::Loop& loop, const Loops& loops, bool mayAssumeApart, bool& assumesApart) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  for (const llvm::BasicBlock* block : loop.blocks())
    if (llvm::any_of(llvm::successors(block), [&](const llvm::BasicBlock* next) { return isEnd(*next, loop); }) &&
        (latch == nullptr || !loops.dominators.dominates(block, latch)))
      return false;
  return !endDependsOn(loop, loops, [&](const Instruction& instruction) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr) return instruction.mayReadOrWriteMemory();
    const Change change = changeOf(*load, loop);
    if (change == Change::OnlyIfShared) assumesApart = true;
    return change == Change::Perhaps || (change == Change::OnlyIfShared && !mayAssumeApart);
  });
}

} // namespace

bool hasWaitingLoop(const llvm::Function& kernel, const llvm::LoopInfo& all, bool mayAssumeApart, bool& assumesApart) {
  assumesApart = false;
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(kernel));
  const Loops loops = lookAt(all, dominators, mayAssumeApart);
  const bool waits = llvm::any_of(all.getLoopsInPreorder(), [&](const llvm::Loop* loop) {
    if (loops.endIfApart.contains(loop)) return !mayAssumeApart;
    if (loops.endAlone.contains(loop)) return false;
    const Change change = branchesOnOthers(kernel, *loop, loops);
    if (change == Change::None || endsInAnyCase(*loop, loops, mayAssumeApart, assumesApart)) return false;
    if (change == Change::OnlyIfShared) assumesApart = true;
    return change == Change::Perhaps || !mayAssumeApart;
  });
  assumesApart |= !loops.endIfApart.empty();
  return waits;
}

bool mayReadForOthers(const Instruction& instruction) {
  constexpr unsigned kPrivateSpace = 0;
  const llvm::Value* memory = watched(instruction);
  if (memory == nullptr || memory->getType()->getPointerAddressSpace() == kPrivateSpace) return false;
  return !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(memory));
}

llvm::SmallVector<llvm::Loop*, 2> loopsThatWait(const llvm::LoopInfo& all, const llvm::DominatorTree& dominators,
                                                bool mayAssumeApart) {
  const Loops loops = lookAt(all, dominators, mayAssumeApart);
  llvm::SmallVector<llvm::Loop*, 2> waiting;
  for (llvm::Loop* loop : all.getLoopsInPreorder())
    if (!loops.endAlone.contains(loop) && readsForOthers(*loop) &&
        endDependsOn(*loop, loops, [&](const Instruction& reader) { return mayWaitFor(reader, *loop); }))
      waiting.push_back(loop);
  return waiting;
}

llvm::SmallVector<llvm::Loop*, 2> loopsThatEndAlone(const llvm::LoopInfo& all, const llvm::DominatorTree& dominators,
                                                    bool mayAssumeApart) {
  const Loops loops = lookAt(all, dominators, mayAssumeApart);
  llvm::SmallVector<llvm::Loop*, 2> ending;
  for (llvm::Loop* loop : all.getLoopsInPreorder())
    if (loops.endAlone.contains(loop)) ending.push_back(loop);
  return ending;
}

llvm::AnalysisKey WaitingLoopsAnalysis::Key;

WaitingLoops WaitingLoopsAnalysis::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return {loopsThatWait(analyses.getResult<llvm::LoopAnalysis>(function),
                        analyses.getResult<llvm::DominatorTreeAnalysis>(function), !usesSubGroups(function))};
}

bool WaitingLoops::invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                              llvm::FunctionAnalysisManager::Invalidator& invalidator) {
  auto checker = preserved.getChecker<WaitingLoopsAnalysis>();
  return !(checker.preserved() || checker.preservedSet<llvm::AllAnalysesOn<llvm::Function>>()) ||
         invalidator.invalidate<llvm::LoopAnalysis>(function, preserved);
}

} // namespace clotho::compiler
