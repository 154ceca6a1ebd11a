// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/change_at_once.hpp"

#include "compiler/analysis/exchange_loops.hpp"
#include "compiler/ir/bit_casts.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/AtomicOrdering.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::LoadInst;
using llvm::Value;

struct Change {
  AtomicRMWInst::BinOp operation;
  Value* operand;
  bool isInAnyOrder = false; ///< It is a sum of floats that may be reassociated.
};

std::optional<AtomicRMWInst::BinOp> operationOf(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add: return AtomicRMWInst::Add;
  case Instruction::Sub: return AtomicRMWInst::Sub;
  case Instruction::And: return AtomicRMWInst::And;
  case Instruction::Or: return AtomicRMWInst::Or;
  case Instruction::Xor: return AtomicRMWInst::Xor;
  case Instruction::FAdd: return AtomicRMWInst::FAdd;
  case Instruction::FSub: return AtomicRMWInst::FSub;
  default: break;
  }
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  switch (intrinsic != nullptr ? intrinsic->getIntrinsicID() : llvm::Intrinsic::not_intrinsic) {
  case llvm::Intrinsic::smin: return AtomicRMWInst::Min;
  case llvm::Intrinsic::smax: return AtomicRMWInst::Max;
  case llvm::Intrinsic::umin: return AtomicRMWInst::UMin;
  case llvm::Intrinsic::umax: return AtomicRMWInst::UMax;
  default: return std::nullopt;
  }
}

/// A loop that ends when the exchange in its first block succeeds.
class ExchangeLoop {
 public:
  /// `latch`: the block with the back edge, either the same block or one without side effects.
  ExchangeLoop(BasicBlock& latch, AtomicCmpXchgInst& exchange)
      : block_(*exchange.getParent()), latch_(latch), exchange_(exchange),
        old_(withoutBitCasts(exchange.getCompareOperand())) {}

  /// The update of memory that the loop makes, if it does nothing else.
  std::optional<Change> change() const {
    if (!endsOnSuccess() || !doesNothingElse()) return std::nullopt;
    auto* made = llvm::dyn_cast<Instruction>(withoutBitCasts(exchange_.getNewValOperand()));
    const auto operation = made != nullptr ? operationOf(*made) : std::nullopt;
    llvm::Type* type = made != nullptr ? made->getType() : nullptr;
    if (!operation || !(type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy())) return std::nullopt;
    const bool isDifference = *operation == AtomicRMWInst::Sub || *operation == AtomicRMWInst::FSub;
    for (const unsigned i : {0u, 1u}) {
      if (!isOld(made->getOperand(i)) || (isDifference && i == 1)) continue;
      Value* operand = made->getOperand(1 - i);
      if (!isIndependent(operand)) return std::nullopt;
      return Change{*operation, operand,
                    type->isFloatingPointTy() && made->hasAllowReassoc() && made->hasNoSignedZeros()};
    }
    return std::nullopt;
  }

  void replaceBy(const Change& change) {
    llvm::IRBuilder<> builder(&exchange_);
    AtomicRMWInst* once =
        builder.CreateAtomicRMW(change.operation, exchange_.getPointerOperand(), change.operand, exchange_.getAlign(),
                                exchange_.getSuccessOrdering(), exchange_.getSyncScopeID());
    once->setVolatile(exchange_.isVolatile());
    if (change.isInAnyOrder) once->setMetadata(kAnyOrderName, llvm::MDNode::get(once->getContext(), {}));
    for (Instruction& instruction : block_)
      if (isOld(&instruction) && isUsedBehind(instruction))
        instruction.replaceUsesOutsideBlock(builder.CreateBitCast(once, instruction.getType()), &block_);
    auto* branch = llvm::cast<llvm::BranchInst>(block_.getTerminator());
    BasicBlock* after = branch->getSuccessor(branch->getSuccessor(0) == &latch_ ? 1 : 0);
    builder.SetInsertPoint(branch);
    builder.CreateBr(after);
    branch->eraseFromParent();
    block_.removePredecessor(&latch_, /*KeepOneInputPHIs=*/true);
    if (&latch_ != &block_) {
      latch_.dropAllReferences();
      latch_.eraseFromParent();
    }
    llvm::SmallVector<llvm::WeakTrackingVH, 4> looks = {llvm::WeakTrackingVH(old_)};
    for (llvm::PHINode& phi : block_.phis())
      looks.append(phi.value_op_begin(), phi.value_op_end());
    exchange_.replaceAllUsesWith(llvm::PoisonValue::get(exchange_.getType()));
    exchange_.eraseFromParent();
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::reverse(block_)))
      if (llvm::isInstructionTriviallyDead(&instruction)) instruction.eraseFromParent();
    for (Value* look : looks)
      removeLook(look, *once);
  }

 private:
  /// Whether the value is the content of memory before the update: the value that the exchange expects or finds.
  bool isOld(Value* value) const {
    value = withoutBitCasts(value);
    if (value == old_) return true;
    if (const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(value))
      return part->getAggregateOperand() == &exchange_ && part->getIndices() == llvm::ArrayRef<unsigned>{0};
    auto* select = llvm::dyn_cast<llvm::SelectInst>(value);
    return select != nullptr && select->getParent() == &block_ && isOld(select->getTrueValue()) &&
           isOld(select->getFalseValue());
  }

  bool isUsedBehind(const Instruction& instruction) const {
    return llvm::any_of(instruction.users(), [&](const llvm::User* user) {
      const BasicBlock* where = llvm::cast<Instruction>(user)->getParent();
      return where != &block_ && where != &latch_;
    });
  }

  /// Removes a load of the first expected value, unless it orders other accesses.
  static void removeLook(Value* value, const AtomicRMWInst& once) {
    while (auto* cast = llvm::dyn_cast_or_null<llvm::BitCastInst>(value)) {
      if (!cast->use_empty()) return;
      value = cast->getOperand(0);
      cast->eraseFromParent();
    }
    auto* look = llvm::dyn_cast_or_null<LoadInst>(value);
    if (look != nullptr && look->use_empty() && !llvm::isStrongerThanMonotonic(look->getOrdering()) &&
        llvm::getUnderlyingObject(look->getPointerOperand()) == llvm::getUnderlyingObject(once.getPointerOperand()))
      look->eraseFromParent();
  }

  bool isSuccess(const Value* value) const {
    const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(value);
    return part != nullptr && part->getAggregateOperand() == &exchange_ &&
           part->getIndices() == llvm::ArrayRef<unsigned>{1};
  }

  bool endsOnSuccess() const {
    using namespace llvm::PatternMatch;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block_.getTerminator());
    if (branch == nullptr || !branch->isConditional()) return false;
    Value *condition = branch->getCondition(), *inverse = nullptr;
    bool isEnd = branch->getSuccessor(1) == &latch_;
    if (match(condition, m_Not(m_Value(inverse)))) {
      condition = inverse;
      isEnd = !isEnd;
    }
    if (isSuccess(condition)) return isEnd;
    const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    return comparison != nullptr && comparison->isEquality() && isOld(comparison->getOperand(0)) &&
           isOld(comparison->getOperand(1)) && isEnd == (comparison->getPredicate() == llvm::CmpInst::ICMP_EQ);
  }

  bool doesNothingElse() const {
    return llvm::all_of(block_, [&](Instruction& instruction) {
      if (isUsedBehind(instruction) && !isOld(&instruction) && !isIndependent(&instruction)) return false;
      if (&instruction == &exchange_ || &instruction == old_) return true;
      const auto* load = llvm::dyn_cast<LoadInst>(&instruction);
      return load != nullptr ? load->isSimple() : !instruction.mayHaveSideEffects();
    });
  }

  /// Whether the value would be the same without earlier attempts: it depends neither on earlier iterations nor on
  /// memory, which the exchange may change.
  bool isIndependent(Value* value, unsigned depth = 0) const {
    constexpr unsigned kMostSteps = 16;
    auto* made = llvm::dyn_cast<Instruction>(value);
    if (made == nullptr || made->getParent() != &block_) return true;
    if (depth > kMostSteps || llvm::isa<llvm::PHINode>(made)) return false;
    if (made->mayReadOrWriteMemory() && !isConstant(*made)) return false;
    return llvm::all_of(made->operands(), [&](Value* operand) { return isIndependent(operand, depth + 1); });
  }

  static bool isConstant(const Instruction& instruction) {
    constexpr unsigned kConstantSpace = 2;
    const auto* load = llvm::dyn_cast<LoadInst>(&instruction);
    return load != nullptr && load->isSimple() && load->getPointerAddressSpace() == kConstantSpace;
  }

  BasicBlock& block_;
  BasicBlock& latch_;
  AtomicCmpXchgInst& exchange_;
  Value* old_; ///< what the exchange expects
};

/// Whether the latch has no side effects and does not access memory.
bool onlyComputes(const BasicBlock& latch) {
  return latch.getTerminator()->getNumSuccessors() == 1 && llvm::none_of(latch, [](const Instruction& instruction) {
           return instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects();
         });
}

/// The only exchange of a loop that ends without other work-items and accesses memory only in its first block; null for
/// other loops.
AtomicCmpXchgInst* exchangeOf(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                              const llvm::DominatorTree& dominators) {
  const BasicBlock* latch = loop.getLoopLatch();
  if (latch == nullptr || loop.getNumBlocks() > 2 || (latch != loop.getHeader() && !onlyComputes(*latch)))
    return nullptr;
  AtomicCmpXchgInst* only = nullptr;
  for (Instruction& instruction : *loop.getHeader())
    if (auto* exchange = llvm::dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      if (only != nullptr) return nullptr;
      only = exchange;
    }
  return only != nullptr && endsWithoutOthers(loop, loops, dominators) ? only : nullptr;
}

} // namespace

llvm::PreservedAnalyses ChangeAtOncePass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  // Replaces one loop at a time, since a loop may use what another one has found.
  const auto changeOne = [&] {
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    for (const llvm::Loop* loop : loops.getLoopsInPreorder())
      if (AtomicCmpXchgInst* exchange = exchangeOf(*loop, loops, dominators)) {
        ExchangeLoop candidate(*loop->getLoopLatch(), *exchange);
        const auto change = candidate.change();
        if (!change) continue;
        candidate.replaceBy(*change);
        return true;
      }
    return false;
  };
  bool changed = false;
  while (changeOne()) {
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
