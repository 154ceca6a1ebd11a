// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/end_sub_group_loops.hpp"

#include "compiler/ir/loop_marks.hpp"
#include "compiler/transform/loops/sub_group_mask.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::CmpInst;
using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

/// Something is done while `counter PREDICATE limit` holds, which once false stays so.
struct End {
  CmpInst::Predicate predicate;
  Value* limit; ///< the same in all rounds

  bool operator==(const End&) const = default;
};

/// Something is done where `counter % divisor == rest`, both the same in all rounds.
struct Residue {
  Value* divisor; ///< or one less, the bits of the rest
  bool isMask;
  bool isSigned; ///< of divisors
  Value* rest;
  llvm::ICmpInst* asked;

  bool operator==(const Residue& other) const {
    return divisor == other.divisor && isMask == other.isMask && isSigned == other.isSigned && rest == other.rest;
  }
};

class LoopEnder {
 public:
  LoopEnder(llvm::Loop& loop, std::uint64_t width, const llvm::DominatorTree& dominators)
      : loop_(loop), width_(width), dominators_(dominators) {}

  bool run() {
    if (!findCounter()) return false;
    if (goInSteps()) return true;
    llvm::SmallVector<End, 2> ends;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) {
        for (const llvm::User* user : instruction.users())
          if (!loop_.contains(llvm::cast<Instruction>(user))) return false;
        if (!instruction.mayHaveSideEffects() || llvm::isa<llvm::AssumeInst>(instruction)) continue;
        const std::optional<End> end = askedBefore<End>(instruction, [&](Value* c) { return endOf(c); });
        if (!end) return false;
        if (!llvm::is_contained(ends, *end)) ends.push_back(*end);
      }
    if (ends.empty() || ends.size() > kMostEnds) return false;
    write(ends);
    return true;
  }

 private:
  static constexpr std::size_t kMostEnds = 2; // asked for in each round
  static constexpr std::uint64_t kMostAhead = 1 << 24;

  bool findCounter() {
    latch_ = loop_.getLoopLatch();
    if (latch_ == nullptr || latch_ != loop_.getExitingBlock()) return false;
    for (llvm::PHINode& phi : loop_.getHeader()->phis()) {
      next_ = phi.getIncomingValueForBlock(latch_);
      const auto startsAtZero = [&](const llvm::Use& incoming) {
        return phi.getIncomingBlock(incoming) == latch_ || match(incoming.get(), m_Zero());
      };
      if (!phi.getType()->isIntegerTy(64) || !match(next_, m_Add(m_Specific(&phi), m_SpecificInt(width_))) ||
          !llvm::all_of(phi.incoming_values(), startsAtZero))
        continue;
      counter_ = &phi;
      return true;
    }
    return false;
  }

  /// The counter or a little more, in each lane if there are lanes. Much more might be negative to who reads it as
  /// such.
  bool isFromCounterOn(Value* value) const {
    if (!value->getType()->isVectorTy())
      return value == counter_ ||
             (match(value, m_Trunc(m_Specific(counter_))) && value->getType()->getIntegerBitWidth() >= 32);
    const llvm::Constant* lanes = distancesOf(value, *counter_);
    if (lanes == nullptr) return false;
    for (unsigned i = 0; i < llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements(); ++i)
      if (const auto* lane = llvm::dyn_cast_or_null<llvm::ConstantInt>(lanes->getAggregateElement(i));
          lane == nullptr || lane->getValue().ugt(kMostAhead))
        return false;
    return true;
  }

  /// When the condition is false for good, in all lanes.
  std::optional<End> endOf(Value* condition) const {
    Value *one = nullptr, *other = nullptr;
    if (match(condition, m_LogicalAnd(m_Value(one), m_Value(other)))) {
      const std::optional<End> end = endOf(one);
      return end ? end : endOf(other);
    }
    if (match(condition, m_SpecificICmp(CmpInst::ICMP_NE, m_BitCast(m_Value(one)), m_Zero())) &&
        one->getType()->isIntOrIntVectorTy(1))
      return endOf(one);
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
    return compare == nullptr ? std::nullopt : endOfComparison(*compare);
  }

  /// `wanted - counter < width`: one of the lanes is that.
  Value* wantedOf(const llvm::ICmpInst& compare) const {
    Value *wanted = nullptr, *first = nullptr;
    return !compare.getOperand(0)->getType()->isVectorTy() &&
                   match(&compare, m_SpecificICmp(CmpInst::ICMP_ULT, m_Sub(m_Value(wanted), m_Value(first)),
                                                  m_SpecificInt(width_))) &&
                   isFromCounterOn(first) && loop_.isLoopInvariant(wanted)
               ? wanted
               : nullptr;
  }

  std::optional<End> endOfComparison(llvm::ICmpInst& compare) const {
    CmpInst::Predicate predicate = compare.getPredicate();
    Value *ids = compare.getOperand(0), *limit = compare.getOperand(1);
    if (Value* wanted = wantedOf(compare)) return End{CmpInst::ICMP_ULE, wanted};
    if (!isFromCounterOn(ids)) {
      std::swap(ids, limit);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    if (!isFromCounterOn(ids)) return std::nullopt;
    if (predicate == CmpInst::ICMP_EQ) predicate = CmpInst::ICMP_ULE;
    const CmpInst::Predicate unsignedOne = llvm::ICmpInst::getUnsignedPredicate(predicate);
    if (unsignedOne != CmpInst::ICMP_ULT && unsignedOne != CmpInst::ICMP_ULE) return std::nullopt;
    if (limit->getType()->isVectorTy()) limit = const_cast<Value*>(llvm::getSplatValue(limit));
    return limit != nullptr && loop_.isLoopInvariant(limit) ? std::optional(End{predicate, limit}) : std::nullopt;
  }

  /// The counter, or in each lane as much more as its number.
  bool isWorkItem(Value* value) const {
    if (!value->getType()->isVectorTy()) return isFromCounterOn(value);
    const llvm::Constant* lanes = distancesOf(value, *counter_);
    const auto isNumber = [&](std::uint64_t i) {
      const auto* lane = llvm::dyn_cast_or_null<llvm::ConstantInt>(lanes->getAggregateElement(i));
      return lane != nullptr && lane->getValue() == i;
    };
    return lanes != nullptr && llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements() == width_ &&
           llvm::all_of(llvm::seq(width_), isNumber);
  }

  /// What all lanes have, and all rounds; null otherwise.
  Value* sameForAll(Value* value) const {
    if (value->getType()->isVectorTy()) value = const_cast<Value*>(llvm::getSplatValue(value));
    return value != nullptr && loop_.isLoopInvariant(value) ? value : nullptr;
  }

  std::optional<Residue> residueOf(Value* condition) const {
    Value *one = nullptr, *other = nullptr;
    if (match(condition, m_LogicalAnd(m_Value(one), m_Value(other)))) {
      const std::optional<Residue> residue = residueOf(one);
      return residue ? residue : residueOf(other);
    }
    if (match(condition, m_SpecificICmp(CmpInst::ICMP_NE, m_BitCast(m_Value(one)), m_Zero())) &&
        one->getType()->isIntOrIntVectorTy(1))
      return residueOf(one);
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (compare == nullptr) return std::nullopt;
    // There are no more work-items, so that one at most has this rest.
    Value* many = llvm::ConstantInt::get(counter_->getType(), std::uint64_t(1) << 31);
    if (Value* wanted = wantedOf(*compare)) return Residue{many, false, false, wanted, compare};
    if (compare->getPredicate() != CmpInst::ICMP_EQ) return std::nullopt;
    for (unsigned i = 0; i < 2; ++i) {
      Value* rest = sameForAll(compare->getOperand(1 - i));
      if (rest == nullptr) continue;
      if (isWorkItem(compare->getOperand(i))) return Residue{many, false, false, rest, compare};
      auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(compare->getOperand(i));
      if (operation == nullptr || compare->getType()->isVectorTy() != (width_ > 1)) continue;
      const bool isMask = operation->getOpcode() == Instruction::And,
                 isSigned = operation->getOpcode() == Instruction::SRem;
      if (!isMask && !isSigned && operation->getOpcode() != Instruction::URem) continue;
      Value *ids = operation->getOperand(0), *divisor = operation->getOperand(1);
      if (isMask && !isWorkItem(ids)) std::swap(ids, divisor);
      divisor = sameForAll(divisor);
      if (isWorkItem(ids) && divisor != nullptr && isLong(divisor, isMask))
        return Residue{divisor, isMask, isSigned, rest, compare};
    }
    return std::nullopt;
  }

  /// Whether, as far as is known, steps of the divisor go from sub-groups that have a work-item with a certain rest to
  /// others, and leave out some.
  bool isLong(const Value* divisor, bool isMask) const {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(divisor);
    if (known == nullptr) return true;
    const std::int64_t step = isMask ? (known->getSExtValue() & INT32_MAX) + 1 : known->getSExtValue();
    const auto width = static_cast<std::int64_t>(width_);
    return step > width && step % width == 0 && (!isMask || llvm::isPowerOf2_64(static_cast<std::uint64_t>(step)));
  }

  /// Makes a loop, where all that has an effect is for work-items whose number has a certain rest, go from one of
  /// these, or from the sub-group that it is in, to the next.
  bool goInSteps() {
    // What else goes around would have to go in steps, too.
    if (!llvm::hasSingleElement(loop_.getHeader()->phis())) return false;
    std::optional<Residue> all;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) {
        for (const llvm::User* user : instruction.users())
          if (!loop_.contains(llvm::cast<Instruction>(user))) return false;
        if (!instruction.mayHaveSideEffects() || llvm::isa<llvm::AssumeInst>(instruction)) continue;
        const std::optional<Residue> residue =
            askedBefore<Residue>(instruction, [&](Value* c) { return residueOf(c); });
        if (!residue || (all && !(*all == *residue))) return false;
        all = residue;
      }
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch_->getTerminator());
    if (!all || branch == nullptr || loop_.getLoopPredecessor() == nullptr ||
        branch->getSuccessor(0) != loop_.getHeader())
      return false;
    Value* limit = limitOfNext(*branch->getCondition());
    if (limit != nullptr) writeSteps(*all, *branch, limit);
    return limit != nullptr;
  }

  /// What the counter's next value must be less than; null where that is not asked.
  Value* limitOfNext(Value& condition) const {
    Value* limit = nullptr;
    if (match(&condition, m_SpecificICmp(CmpInst::ICMP_ULT, m_Specific(next_), m_Value(limit))))
      return loop_.isLoopInvariant(limit) ? limit : nullptr;
    const llvm::APInt* last = nullptr;
    if (match(&condition, m_SpecificICmp(CmpInst::ICMP_ULT, m_Specific(counter_), m_APInt(last))) &&
        last->ult(kMostAhead))
      return llvm::ConstantInt::get(counter_->getType(), *last + width_);
    return nullptr;
  }

  void writeSteps(const Residue& residue, llvm::BranchInst& branch, Value* limit) {
    llvm::IRBuilder<> builder(loop_.getLoopPredecessor()->getTerminator());
    llvm::Type* type = counter_->getType();
    // It may have been asked for under other conditions only, and be poison where these do not hold.
    const auto known = [&](Value* value) {
      return llvm::isGuaranteedNotToBePoison(value) ? value : builder.CreateFreeze(value);
    };
    Value* divisor = known(residue.divisor);
    divisor = residue.isSigned ? builder.CreateSExt(divisor, type) : builder.CreateZExt(divisor, type);
    Value* rest = builder.CreateZExt(known(residue.rest), type);
    Value* isOne = builder.CreateICmpSGT(divisor, builder.getInt64(0));
    if (residue.isMask) {
      // Numbers of work-items are less than 2^31; of signed remainders the sign is asked for, too.
      Value* mask = builder.CreateAnd(divisor, INT32_MAX);
      divisor = builder.CreateAdd(mask, builder.getInt64(1));
      isOne = builder.CreateICmpEQ(builder.CreateAnd(mask, divisor), builder.getInt64(0));
    }
    Value* isRest = builder.CreateAnd(isOne, builder.CreateICmpULT(rest, divisor));
    Value* start = rest;
    if (width_ > 1) {
      start = builder.CreateAnd(rest, ~(width_ - 1));
      Value* over = builder.CreateAnd(divisor, width_ - 1);
      isRest = builder.CreateAnd(isRest, builder.CreateICmpEQ(over, builder.getInt64(0)));
    }
    Value* isThere = builder.CreateAnd(isRest, builder.CreateICmpULT(start, limit));
    Value* step = builder.CreateSelect(isRest, divisor, builder.getInt64(width_));
    // A loop without work-items of that rest may begin with 0, since 0 has another rest.
    counter_->setIncomingValueForBlock(loop_.getLoopPredecessor(),
                                       builder.CreateSelect(isThere, start, builder.getInt64(0)));
    // The program may ask for the next number, too.
    builder.SetInsertPoint(&branch);
    Value* next = builder.CreateAdd(counter_, step, "", /*HasNUW=*/true, /*HasNSW=*/false);
    counter_->setIncomingValueForBlock(latch_, next);
    branch.setCondition(builder.CreateICmpULT(next, limit));
    if (!match(isThere, m_One())) return;
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(rest);
    if (width_ == 1) {
      residue.asked->replaceAllUsesWith(builder.getTrue());
    } else if (constant != nullptr && residue.asked->getType()->isVectorTy()) {
      llvm::SmallVector<llvm::Constant*, 16> lanes(width_, builder.getFalse());
      lanes[constant->getZExtValue() % width_] = builder.getTrue();
      residue.asked->replaceAllUsesWith(llvm::ConstantVector::get(lanes));
    }
  }

  /// What `read` makes of the instruction's mask, or of the first condition before it of which it makes something.
  template <class Condition, class Read>
  std::optional<Condition> askedBefore(Instruction& instruction, Read&& read) const {
    if (match(&instruction, m_Intrinsic<llvm::Intrinsic::masked_store>()) ||
        match(&instruction, m_Intrinsic<llvm::Intrinsic::masked_scatter>()))
      if (const std::optional<Condition> found = read(llvm::cast<llvm::IntrinsicInst>(instruction).getArgOperand(2)))
        return found;
    for (const BasicBlock* block = instruction.getParent(); block != loop_.getHeader();) {
      const BasicBlock* above = dominators_.getNode(block)->getIDom()->getBlock();
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
      if (branch != nullptr && branch->isConditional()) {
        Value *condition = branch->getCondition(), *bits = nullptr;
        const bool isNone = match(condition, m_SpecificICmp(CmpInst::ICMP_EQ, m_BitCast(m_Value(bits)), m_Zero())) &&
                            bits->getType()->isIntOrIntVectorTy(1);
        if (dominators_.dominates(llvm::BasicBlockEdge(above, branch->getSuccessor(isNone ? 1 : 0)), block))
          if (const std::optional<Condition> found = read(isNone ? bits : condition)) return found;
      }
      block = above;
    }
    return std::nullopt;
  }

  void write(llvm::ArrayRef<End> ends) {
    auto* branch = llvm::cast<llvm::BranchInst>(latch_->getTerminator());
    llvm::IRBuilder<> builder(branch);
    Value* goesOn = nullptr;
    for (const End& end : ends) {
      // It may have been asked for under other conditions only, and be poison where these do not hold.
      Value* limit = end.limit;
      if (!llvm::isGuaranteedNotToBePoison(limit)) limit = builder.CreateFreeze(limit);
      limit = CmpInst::isSigned(end.predicate) ? builder.CreateSExt(limit, next_->getType())
                                               : builder.CreateZExt(limit, next_->getType());
      Value* within = builder.CreateICmp(end.predicate, next_, limit);
      goesOn = goesOn != nullptr ? builder.CreateOr(goesOn, within) : within;
    }
    const bool exitsOnTrue = branch->getSuccessor(0) != loop_.getHeader();
    branch->setCondition(exitsOnTrue ? builder.CreateOr(branch->getCondition(), builder.CreateNot(goesOn))
                                     : builder.CreateAnd(branch->getCondition(), goesOn));
  }

  llvm::Loop& loop_;
  const std::uint64_t width_;
  const llvm::DominatorTree& dominators_;
  BasicBlock* latch_ = nullptr;
  llvm::PHINode* counter_ = nullptr;
  Value* next_ = nullptr;
};

} // namespace

llvm::PreservedAnalyses EndSubGroupLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (const auto width = subGroupLoopWidth(*loop)) changed |= LoopEnder(*loop, *width, dominators).run();
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace clotho::compiler
