// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compare-exchange loops: loops that retry an exchange until it succeeds. docs/transformations/waiting-loops.md has the
// proofs.
#include "compiler/analysis/exchange_loops.hpp"

#include "compiler/ir/bit_casts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <utility>

namespace clotho::compiler {
namespace {

using llvm::APInt;
using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::LoadInst;
using llvm::PHINode;
using llvm::SelectInst;
using llvm::StoreInst;
using llvm::Value;

constexpr unsigned kMostSteps = 16; ///< deepest recursion through operands; deeper ones count as unknown

/// Bit pattern of an integer or floating-point constant.
std::optional<APInt> bitsOf(const Value* value) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(value)) return integer->getValue();
  if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(value)) return real->getValueAPF().bitcastToAPInt();
  return std::nullopt;
}

bool isSameConstant(const Value* one, const Value* other) {
  const auto bits = bitsOf(one), otherBits = bitsOf(other);
  return bits && otherBits && bits->getBitWidth() == otherBits->getBitWidth() && *bits == *otherBits;
}

const Value* pointerOf(const Instruction& access) {
  if (const auto* exchange = llvm::dyn_cast<AtomicCmpXchgInst>(&access)) return exchange->getPointerOperand();
  if (const auto* change = llvm::dyn_cast<AtomicRMWInst>(&access)) return change->getPointerOperand();
  return llvm::getLoadStorePointerOperand(&access);
}

/// Whether the object is an argument, a variable of local memory or a private one. Different named objects count as
/// different memory: no program is known that exchanges values in one buffer through two arguments.
bool isNamed(const Value* memory) { return llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(memory); }

bool mayBeSame(const Value* memory, const Value* other) {
  constexpr unsigned kGenericSpace = 4;
  if (memory == other) return true;
  if (isNamed(memory) && isNamed(other)) return false;
  const unsigned space = memory->getType()->getPointerAddressSpace(),
                 otherSpace = other->getType()->getPointerAddressSpace();
  return space == otherSpace || space == kGenericSpace || otherSpace == kGenericSpace;
}

/// Whether the instruction writes memory itself. Fences and the like only order accesses.
bool isWrite(const Instruction& instruction) {
  if (!instruction.mayWriteToMemory() || llvm::isa<LoadInst, llvm::FenceInst>(instruction)) return false;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return (intrinsic == nullptr || !intrinsic->isAssumeLikeIntrinsic()) && !matchIntrinsic(&instruction);
}

/// Whether the instruction may write to the object `memory`.
bool mayWriteTo(const Instruction& instruction, const Value* memory) {
  if (!isWrite(instruction)) return false;
  const Value* pointer = pointerOf(instruction);
  return pointer == nullptr || mayBeSame(llvm::getUnderlyingObject(pointer), memory);
}

bool mayReadFrom(const Instruction& instruction, const Value* memory) {
  if (!instruction.mayReadFromMemory() || llvm::isa<llvm::FenceInst>(instruction) || matchIntrinsic(&instruction))
    return false;
  const Value* pointer = pointerOf(instruction);
  return pointer == nullptr || mayBeSame(llvm::getUnderlyingObject(pointer), memory);
}

/// Whether an access of this type is as wide as the exchange's value.
bool isAsWide(llvm::Type* type, const AtomicCmpXchgInst& exchange) {
  const llvm::DataLayout& layout = exchange.getDataLayout();
  return layout.getTypeSizeInBits(type) == layout.getTypeSizeInBits(exchange.getCompareOperand()->getType());
}

/// The cmpxchg result pair of which the value is the first element; null for other values.
const Value* firstOfPair(const Value* value) {
  const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  return part != nullptr && part->getIndices() == llvm::ArrayRef<unsigned>{0} ? part->getAggregateOperand() : nullptr;
}

/// The read-modify-write instruction whose old value this is; null for other values.
const Instruction* finderOf(const Value* value) {
  value = withoutBitCasts(value);
  if (const auto* change = llvm::dyn_cast<AtomicRMWInst>(value)) return change;
  return llvm::dyn_cast_or_null<AtomicCmpXchgInst>(firstOfPair(value));
}

/// The cmpxchg whose success flag this is; null for other values.
const AtomicCmpXchgInst* succeeded(const Value* value) {
  const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  if (part == nullptr || part->getIndices() != llvm::ArrayRef<unsigned>{1}) return nullptr;
  return llvm::dyn_cast<AtomicCmpXchgInst>(part->getAggregateOperand());
}

/// Follows all paths through one iteration of a loop backwards. A path is closed if one of its branches is taken only
/// when two values differ and `differ` accepts this pair.
class IterationPaths {
 public:
  using Differ = llvm::function_ref<bool(const Value* value, const Value* other)>;

  IterationPaths(const llvm::Loop& loop, Differ differ) : loop_(loop), differ_(differ) {}

  /// Whether all paths from the loop's header back to it are closed.
  bool areClosed() {
    for (const BasicBlock* latch : llvm::predecessors(loop_.getHeader()))
      if (loop_.contains(latch)) pass({latch, loop_.getHeader()});
    while (!work_.empty()) {
      const Edge edge = work_.pop_back_val();
      if (edge.first == loop_.getHeader()) return false;
      for (const BasicBlock* before : llvm::predecessors(edge.first))
        pass({before, edge.first});
    }
    return true;
  }

 private:
  using Edge = std::pair<const BasicBlock*, const BasicBlock*>;

  void pass(Edge edge) {
    if (!seen_.insert(edge).second) return;
    const Value* condition = conditionOf(*edge.first->getTerminator());
    const auto* phi = condition != nullptr ? llvm::dyn_cast<PHINode>(condition) : nullptr;
    // clang ends an iteration with `break` by a phi of constants, which tells how it ended. Each incoming edge of such
    // a phi is a path of its own.
    if (phi != nullptr && phi->getParent() == edge.first && edge.first != loop_.getHeader()) {
      for (const BasicBlock* before : phi->blocks())
        if (!isClosed(edge, phi->getIncomingValueForBlock(before))) pass({before, edge.first});
    } else if (condition == nullptr || !isClosed(edge, condition)) {
      work_.push_back(edge);
    }
  }

  static const Value* conditionOf(const Instruction& end) {
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) return choice->getCondition();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end);
    return branch != nullptr && branch->isConditional() ? branch->getCondition() : nullptr;
  }

  /// Whether the edge is taken only on a closed path. `condition`: the terminator's condition, or the value that its
  /// phi has on this path.
  bool isClosed(Edge edge, const Value* condition) const {
    const Instruction& end = *edge.first->getTerminator();
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end))
      return branch->getSuccessor(0) != branch->getSuccessor(1) &&
             closesIf(condition, branch->getSuccessor(0) == edge.second, 0);
    const auto& choice = llvm::cast<llvm::SwitchInst>(end);
    const bool isDefault = choice.getDefaultDest() == edge.second;
    if (isDefault)
      return llvm::any_of(choice.cases(), [&](const auto& other) {
        return other.getCaseSuccessor() != edge.second && areKnownToDiffer(condition, other.getCaseValue());
      });
    return llvm::all_of(choice.cases(), [&](const auto& other) {
      return other.getCaseSuccessor() != edge.second || closesIfEqual(condition, other.getCaseValue()->getValue(), 0);
    });
  }

  /// Whether `differ` accepts the pair in either order.
  bool areKnownToDiffer(const Value* value, const Value* other) const {
    return differ_(withoutBitCasts(value), withoutBitCasts(other)) ||
           differ_(withoutBitCasts(other), withoutBitCasts(value));
  }

  /// Whether the condition has this outcome only on closed paths, or never.
  bool closesIf(const Value* condition, bool outcome, unsigned depth) const {
    using namespace llvm::PatternMatch;
    if (depth > kMostSteps) return false;
    const auto closes = [&](const Value* value, bool result) { return closesIf(value, result, depth + 1); };
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) return known->isOne() != outcome;
    if (const auto* exchange = succeeded(condition))
      return !outcome && differ_(exchange, withoutBitCasts(exchange->getCompareOperand()));
    if (const auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(condition)) return closes(freeze->getOperand(0), outcome);
    if (const auto* select = llvm::dyn_cast<SelectInst>(condition))
      return (closes(select->getCondition(), true) || closes(select->getTrueValue(), outcome)) &&
             (closes(select->getCondition(), false) || closes(select->getFalseValue(), outcome));
    const Value *one = nullptr, *other = nullptr;
    if (match(condition, m_Not(m_Value(one)))) return closes(one, !outcome);
    if (match(condition, m_And(m_Value(one), m_Value(other))) || match(condition, m_Or(m_Value(one), m_Value(other)))) {
      const bool isAnd = llvm::cast<Instruction>(condition)->getOpcode() == Instruction::And;
      return isAnd == outcome ? closes(one, outcome) || closes(other, outcome)
                              : closes(one, outcome) && closes(other, outcome);
    }
    const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(condition);
    return comparison != nullptr && closesByComparison(*comparison, outcome, depth);
  }

  /// closesIf for a comparison.
  bool closesByComparison(const llvm::CmpInst& comparison, bool outcome, unsigned depth) const {
    const Value *one = comparison.getOperand(0), *other = comparison.getOperand(1);
    const llvm::CmpInst::Predicate predicate = outcome ? comparison.getPredicate() : comparison.getInversePredicate();
    switch (predicate) {
    case llvm::CmpInst::ICMP_NE:
    case llvm::CmpInst::FCMP_ONE: return areKnownToDiffer(one, other);
    case llvm::CmpInst::FCMP_UNE: {
      // NaN differs from itself.
      const auto* real = llvm::dyn_cast<llvm::ConstantFP>(other);
      return real != nullptr && !real->isNaN() && areKnownToDiffer(one, other);
    }
    case llvm::CmpInst::ICMP_EQ: {
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(other);
      return number != nullptr && closesIfEqual(one, number->getValue(), depth + 1);
    }
    default: return false;
    }
  }

  /// Whether the value equals the number only on closed paths, or never.
  bool closesIfEqual(const Value* value, const APInt& number, unsigned depth) const {
    if (depth > kMostSteps) return false;
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value)) return known->getValue() != number;
    if (const auto* select = llvm::dyn_cast<SelectInst>(value))
      return (closesIf(select->getCondition(), true, depth + 1) ||
              closesIfEqual(select->getTrueValue(), number, depth + 1)) &&
             (closesIf(select->getCondition(), false, depth + 1) ||
              closesIfEqual(select->getFalseValue(), number, depth + 1));
    if (const auto* extension = llvm::dyn_cast<llvm::ZExtInst>(value);
        extension != nullptr && extension->getSrcTy()->isIntegerTy(1))
      return number.ugt(1) || closesIf(extension->getOperand(0), number.isOne(), depth + 1);
    return value->getType()->isIntegerTy(1) && closesIf(value, number.isOne(), depth + 1);
  }

  const llvm::Loop& loop_;
  Differ differ_;
  llvm::SmallVector<Edge, 16> work_;
  llvm::SmallDenseSet<Edge, 16> seen_;
};

/// Tells what is invariant in a loop while no other work-item writes memory.
class Alone {
 public:
  Alone(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators)
      : loop_(loop), loops_(loops), dominators_(dominators) {
    for (const BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block)
        if (isWrite(instruction)) writes_.push_back(&instruction);
  }

  /// Whether the instruction runs at most once in an iteration: it is in no inner loop.
  bool isInIteration(const Instruction& instruction) const {
    return loops_.getLoopFor(instruction.getParent()) == &loop_;
  }

  /// Whether both values are equal in an iteration in which `exchange` writes nothing.
  bool areSame(const Value* one, const Value* other, const Instruction& exchange, unsigned depth = 0) const {
    if (one == other) return true;
    const auto *made = llvm::dyn_cast<Instruction>(one), *otherMade = llvm::dyn_cast<Instruction>(other);
    if (made == nullptr || otherMade == nullptr || depth > kMostSteps || llvm::isa<PHINode>(made) ||
        !made->isSameOperationAs(otherMade) || !isComputed(*made, exchange) || !isComputed(*otherMade, exchange))
      return false;
    return llvm::all_of(llvm::zip(made->operands(), otherMade->operands()), [&](const auto& pair) {
      return areSame(std::get<0>(pair), std::get<1>(pair), exchange, depth + 1);
    });
  }

  /// Whether the value is loop-invariant if `exchange` never writes.
  bool isSteady(const Value* value, const Instruction& exchange, unsigned depth = 0) const {
    const auto* made = llvm::dyn_cast<Instruction>(value);
    if (made == nullptr || !loop_.contains(made)) return true;
    return depth <= kMostSteps && !llvm::isa<PHINode>(made) && isComputed(*made, exchange) &&
           llvm::all_of(made->operands(), [&](const Value* operand) { return isSteady(operand, exchange, depth + 1); });
  }

  /// Whether the exchange cannot fail: the value that it expects was loaded from its address in the same iteration.
  bool expectsWhatItRead(const AtomicCmpXchgInst& exchange) const {
    if (!isInIteration(exchange)) return false;
    const Value* expected = withoutBitCasts(exchange.getCompareOperand());
    const auto* load = llvm::dyn_cast<LoadInst>(expected);
    return load != nullptr && isInIteration(*load) && dominators_.dominates(load, &exchange) &&
           isAsWide(load->getType(), exchange) && isOnlyWriter(exchange, expected) &&
           areSame(load->getPointerOperand(), exchange.getPointerOperand(), exchange);
  }

  /// Whether the exchange cannot fail twice: it expects the value that it found at the same address in the iteration
  /// before.
  bool expectsWhatItFound(const AtomicCmpXchgInst& exchange) const {
    const Value* expected = withoutBitCasts(exchange.getCompareOperand());
    // Rotated loops carry the exchange's whole result pair.
    const Value* pair = firstOfPair(expected);
    const auto* carried = llvm::dyn_cast<PHINode>(pair != nullptr ? pair : expected);
    if (carried == nullptr || carried->getParent() != loop_.getHeader() || !isInIteration(exchange) ||
        !isOnlyWriter(exchange, expected) || !isSteady(exchange.getPointerOperand(), exchange))
      return false;
    return llvm::all_of(carried->blocks(), [&](const BasicBlock* before) {
      const Value* next = carried->getIncomingValueForBlock(before);
      return !loop_.contains(before) || (pair != nullptr ? next == &exchange : isFoundBy(next, exchange));
    });
  }

  /// Whether the read-modify-write finds the constant `value`, since an earlier one of the same iteration has written
  /// it there.
  bool findsOwn(const Instruction& finder, const Value* value) const {
    const auto* change = llvm::dyn_cast<AtomicRMWInst>(&finder);
    if (change == nullptr || !isInIteration(*change) || !bitsOf(value)) return false;
    const Value* memory = llvm::getUnderlyingObject(change->getPointerOperand());
    const AtomicRMWInst* earlier = nullptr;
    for (const Instruction* write : writes_) {
      if (write == change || !mayWriteTo(*write, memory)) continue;
      if (earlier != nullptr || !llvm::isa<AtomicRMWInst>(write)) return false;
      earlier = llvm::cast<AtomicRMWInst>(write);
    }
    return earlier != nullptr && earlier->getOperation() == AtomicRMWInst::Xchg && isInIteration(*earlier) &&
           isSameConstant(withoutBitCasts(earlier->getValOperand()), value) &&
           earlier->getType() == change->getType() && dominators_.dominates(earlier, change) &&
           areSame(earlier->getPointerOperand(), change->getPointerOperand(), *change);
  }

 private:
  /// Whether the instruction gives the same result for the same operands.
  bool isComputed(const Instruction& instruction, const Instruction& exchange) const {
    const auto* load = llvm::dyn_cast<LoadInst>(&instruction);
    if (load == nullptr) return !instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::AllocaInst>(instruction);
    if (!load->isSimple()) return false;
    const Value* memory = llvm::getUnderlyingObject(load->getPointerOperand());
    return llvm::none_of(writes_,
                         [&](const Instruction* write) { return write != &exchange && mayWriteTo(*write, memory); });
  }

  /// Whether no other instruction of the loop changes what the exchange compares with `expected`. Storing `expected` to
  /// the exchange's own address changes nothing; to that of another work-item it would be a data race.
  bool isOnlyWriter(const AtomicCmpXchgInst& exchange, const Value* expected) const {
    const Value* memory = llvm::getUnderlyingObject(exchange.getPointerOperand());
    return llvm::none_of(writes_, [&](const Instruction* write) {
      if (write == &exchange || !mayWriteTo(*write, memory)) return false;
      const auto* store = llvm::dyn_cast<StoreInst>(write);
      return store == nullptr || store->isAtomic() || withoutBitCasts(store->getValueOperand()) != expected;
    });
  }

  /// Whether the value is what the exchange found when it failed.
  static bool isFoundBy(const Value* value, const AtomicCmpXchgInst& exchange, unsigned depth = 0) {
    value = withoutBitCasts(value);
    if (finderOf(value) == &exchange) return true;
    if (depth > kMostSteps) return false;
    const auto* select = llvm::dyn_cast<SelectInst>(value);
    if (select == nullptr) return false;
    return isFoundBy(select->getFalseValue(), exchange, depth + 1) &&
           (succeeded(select->getCondition()) == &exchange || isFoundBy(select->getTrueValue(), exchange, depth + 1));
  }

  const llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  llvm::SmallVector<const Instruction*, 8> writes_;
};

llvm::SmallVector<const AtomicCmpXchgInst*, 2> exchangesIn(const llvm::Loop& loop) {
  llvm::SmallVector<const AtomicCmpXchgInst*, 2> exchanges;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (const auto* exchange = llvm::dyn_cast<AtomicCmpXchgInst>(&instruction)) exchanges.push_back(exchange);
  return exchanges;
}

/// Whether some path leads from `begins` to an instruction for which `isEnd` holds, without passing a barrier.
bool comesWithoutBarrier(llvm::SmallVectorImpl<const Instruction*>& begins,
                         llvm::function_ref<bool(const Instruction&)> isEnd) {
  llvm::SmallPtrSet<const BasicBlock*, 16> seen;
  while (!begins.empty()) {
    const Instruction* at = begins.pop_back_val();
    for (; at != nullptr && !isIntrinsic(at, Intrinsic::Barrier); at = at->getNextNode()) {
      if (isEnd(*at)) return true;
      if (!at->isTerminator()) continue;
      for (const BasicBlock* next : llvm::successors(at->getParent()))
        if (seen.insert(next).second) begins.push_back(&next->front());
    }
  }
  return false;
}

/// Whether no work-item of the work-group can reach the instruction while another one is in the loop.
bool isApartByBarriers(const Instruction& instruction, const llvm::Loop& loop) {
  llvm::SmallVector<const Instruction*, 8> begins{&instruction};
  if (loop.contains(&instruction) ||
      comesWithoutBarrier(begins, [&](const Instruction& at) { return loop.contains(&at); }))
    return false;
  llvm::SmallVector<BasicBlock*, 4> exits;
  loop.getExitBlocks(exits);
  for (const BasicBlock* exit : exits)
    begins.push_back(&exit->front());
  return !comesWithoutBarrier(begins, [&](const Instruction& at) { return &at == &instruction; });
}

/// Whether an element of the memory is free while it holds the value that the exchange expects, and taken for good
/// afterwards: every write is such an exchange, or barriers separate it from the loop.
bool areTakenForGood(const Value* memory, const AtomicCmpXchgInst& exchange, const llvm::Loop& loop) {
  constexpr unsigned kLocalSpace = 3;
  const bool isLocal = memory->getType()->getPointerAddressSpace() == kLocalSpace;
  return llvm::none_of(llvm::instructions(*exchange.getFunction()), [&](const Instruction& write) {
    if (!mayWriteTo(write, memory)) return false;
    const auto* other = llvm::dyn_cast<AtomicCmpXchgInst>(&write);
    if (other != nullptr && other->getCompareOperand() == exchange.getCompareOperand()) return false;
    return !isLocal || !isApartByBarriers(write, loop);
  });
}

/// Whether the value was read from the memory in this iteration.
bool isReadInIteration(const Value* value, const Value* memory, const llvm::Loop& loop, unsigned depth = 0) {
  value = withoutBitCasts(value);
  const auto* made = llvm::dyn_cast<Instruction>(value);
  if (made == nullptr || !loop.contains(made) || depth > 2) return false;
  if (const Instruction* finder = finderOf(value)) return llvm::getUnderlyingObject(pointerOf(*finder)) == memory;
  if (const auto* load = llvm::dyn_cast<LoadInst>(value))
    return llvm::getUnderlyingObject(load->getPointerOperand()) == memory;
  if (const auto* select = llvm::dyn_cast<SelectInst>(value))
    return isReadInIteration(select->getTrueValue(), memory, loop, depth + 1) &&
           isReadInIteration(select->getFalseValue(), memory, loop, depth + 1);
  const auto* phi = llvm::dyn_cast<PHINode>(value);
  return phi != nullptr && phi->getParent() != loop.getHeader() &&
         llvm::all_of(phi->incoming_values(),
                      [&](const Value* in) { return isReadInIteration(in, memory, loop, depth + 1); });
}

/// Whether the kernel may free elements through another argument, if that points to the same memory. Only atomic writes
/// can: others would be data races.
bool mayFreeByOther(const Value* memory, const AtomicCmpXchgInst& exchange) {
  const auto* own = llvm::dyn_cast<llvm::Argument>(memory);
  if (own == nullptr || own->hasNoAliasAttr()) return false;
  return llvm::any_of(llvm::instructions(*exchange.getFunction()), [&](const Instruction& write) {
    if (!isWrite(write) || !write.isAtomic()) return false;
    const auto* other = llvm::dyn_cast<AtomicCmpXchgInst>(&write);
    if (other != nullptr && other->getCompareOperand() == exchange.getCompareOperand()) return false;
    const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointerOf(write)));
    return argument != nullptr && argument != own && !argument->hasNoAliasAttr() &&
           argument->getType() == own->getType();
  });
}

} // namespace

bool endsWithoutOthers(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) {
  const auto exchanges = exchangesIn(loop);
  const Alone alone(loop, loops, dominators);
  const auto areClosed = [&](const AtomicCmpXchgInst* found) {
    const auto differ = [&](const Value* value, const Value* expected) {
      const auto* exchange = llvm::dyn_cast<AtomicCmpXchgInst>(value);
      const Instruction* finder = exchange != nullptr ? exchange : finderOf(value);
      if (finder == nullptr) return false;
      exchange = llvm::dyn_cast<AtomicCmpXchgInst>(finder);
      if (exchange == nullptr) return alone.findsOwn(*finder, expected);
      return withoutBitCasts(exchange->getCompareOperand()) == expected &&
             (exchange == found || alone.expectsWhatItRead(*exchange));
    };
    return IterationPaths(loop, differ).areClosed();
  };
  return areClosed(nullptr) || llvm::any_of(exchanges, [&](const AtomicCmpXchgInst* exchange) {
           return alone.expectsWhatItFound(*exchange) && areClosed(exchange);
         });
}

const Value* memoryOfTakenElements(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                                   const llvm::DominatorTree& dominators, bool& assumesApart) {
  const Alone alone(loop, loops, dominators);
  for (const AtomicCmpXchgInst* exchange : exchangesIn(loop)) {
    const Value *memory = llvm::getUnderlyingObject(exchange->getPointerOperand()),
                *free = exchange->getCompareOperand();
    // An exchange at an invariant address may be a lock, so it is skipped.
    if (!llvm::isa<llvm::Constant, llvm::Argument>(free) || !isNamed(memory) || !alone.isInIteration(*exchange) ||
        alone.isSteady(exchange->getPointerOperand(), *exchange) || !areTakenForGood(memory, *exchange, loop))
      continue;
    const bool isOneElement = llvm::all_of(loop.blocks(), [&](const BasicBlock* block) {
      return llvm::all_of(*block, [&](const Instruction& access) {
        if (!mayReadFrom(access, memory)) return true;
        const Value* pointer = pointerOf(access);
        const auto* other = llvm::dyn_cast<AtomicCmpXchgInst>(&access);
        llvm::Type* type = other != nullptr ? other->getCompareOperand()->getType() : access.getType();
        return pointer != nullptr && alone.isInIteration(access) && isAsWide(type, *exchange) &&
               alone.areSame(pointer, exchange->getPointerOperand(), *exchange);
      });
    });
    const auto differ = [&](const Value* value, const Value* other) {
      if (const auto* failed = llvm::dyn_cast<AtomicCmpXchgInst>(value))
        return other == free && loop.contains(failed) &&
               llvm::getUnderlyingObject(failed->getPointerOperand()) == memory;
      return other == free && isReadInIteration(value, memory, loop);
    };
    if (!isOneElement || !IterationPaths(loop, differ).areClosed()) continue;
    assumesApart = mayFreeByOther(memory, *exchange);
    return memory;
  }
  return nullptr;
}

bool isExchangeLoop(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && callee->hasFnAttribute(kExchangeLoop);
}

} // namespace clotho::compiler
