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

class LoopEnder {
 public:
  LoopEnder(llvm::Loop& loop, std::uint64_t width, const llvm::DominatorTree& dominators)
      : loop_(loop), width_(width), dominators_(dominators) {}

  bool run() {
    if (!findCounter()) return false;
    llvm::SmallVector<End, 2> ends;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) {
        for (const llvm::User* user : instruction.users())
          if (!loop_.contains(llvm::cast<Instruction>(user))) return false;
        if (!instruction.mayHaveSideEffects() || llvm::isa<llvm::AssumeInst>(instruction)) continue;
        const std::optional<End> end = endOfEffect(instruction);
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

  std::optional<End> endOfComparison(llvm::ICmpInst& compare) const {
    CmpInst::Predicate predicate = compare.getPredicate();
    Value *ids = compare.getOperand(0), *limit = compare.getOperand(1);
    // `wanted - counter < width`: one of the lanes is that.
    Value *wanted = nullptr, *first = nullptr;
    if (predicate == CmpInst::ICMP_ULT && match(limit, m_SpecificInt(width_)) &&
        match(ids, m_Sub(m_Value(wanted), m_Value(first))) && isFromCounterOn(first) && loop_.isLoopInvariant(wanted))
      return End{CmpInst::ICMP_ULE, wanted};
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

  /// By its mask, or by a branch before it.
  std::optional<End> endOfEffect(Instruction& instruction) const {
    if (match(&instruction, m_Intrinsic<llvm::Intrinsic::masked_store>()) ||
        match(&instruction, m_Intrinsic<llvm::Intrinsic::masked_scatter>()))
      if (const std::optional<End> end = endOf(llvm::cast<llvm::IntrinsicInst>(instruction).getArgOperand(2)))
        return end;
    for (const BasicBlock* block = instruction.getParent(); block != loop_.getHeader();) {
      const BasicBlock* above = dominators_.getNode(block)->getIDom()->getBlock();
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
      if (branch != nullptr && branch->isConditional()) {
        Value *condition = branch->getCondition(), *bits = nullptr;
        const bool isNone = match(condition, m_SpecificICmp(CmpInst::ICMP_EQ, m_BitCast(m_Value(bits)), m_Zero())) &&
                            bits->getType()->isIntOrIntVectorTy(1);
        if (dominators_.dominates(llvm::BasicBlockEdge(above, branch->getSuccessor(isNone ? 1 : 0)), block))
          if (const std::optional<End> end = endOf(isNone ? bits : condition)) return end;
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
