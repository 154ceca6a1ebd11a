// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/split_sub_group_loops.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr std::int64_t kLargestBound = 1 << 16; // above which there are few work-groups
constexpr unsigned kInstructionLimit = 80;      // each copied once

/// The width that the loop's metadata say.
std::optional<std::uint64_t> widthOf(const llvm::Loop& loop) {
  const llvm::MDNode* property = llvm::findOptionMDForLoop(&loop, kSubGroupLoopName);
  if (property == nullptr || property->getNumOperands() != 2) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(property->getOperand(1))->getZExtValue();
}

/// A mask that is the same in all lanes of sub-groups from `bound` on, and perhaps of those before it.
struct Guard {
  llvm::ICmpInst* compare;
  std::uint64_t bound;
  bool after;
  std::optional<bool> before;
};

class Splitter {
 public:
  Splitter(llvm::Loop& loop, std::uint64_t width) : loop_(loop), width_(width) {}

  bool run() {
    if (!findCounter() || !isClosed()) return false;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block)
        if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
          if (const auto guard = guardOf(*compare); guard && (!guard_ || guard->bound > guard_->bound)) guard_ = guard;
    if (!guard_) return false;
    divide();
    return true;
  }

 private:
  bool findCounter() {
    BasicBlock* header = loop_.getHeader();
    latch_ = loop_.getLoopLatch();
    before_ = loop_.getLoopPreheader();
    exit_ = loop_.getUniqueExitBlock();
    if (latch_ == nullptr || before_ == nullptr || latch_ != loop_.getExitingBlock()) return false;
    if (!llvm::hasSingleElement(header->phis()) || exit_ == nullptr) return false;
    counter_ = &*header->phis().begin();
    using namespace llvm::PatternMatch;
    const llvm::APInt* step = nullptr;
    next_ = llvm::dyn_cast<Instruction>(counter_->getIncomingValueForBlock(latch_));
    if (next_ == nullptr || !counter_->getType()->isIntegerTy(64) ||
        !match(next_, m_Add(m_Specific(counter_), m_APInt(step))) || step->abs() != width_)
      return false;
    descends_ = step->isNegative();
    return descends_ || match(counter_->getIncomingValueForBlock(before_), m_Zero());
  }

  /// What the loop computes is used in it alone, and it is small.
  bool isClosed() const {
    unsigned count = 0;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) {
        if (++count > kInstructionLimit) return false;
        for (const llvm::User* user : instruction.users())
          if (!loop_.contains(llvm::cast<Instruction>(user))) return false;
      }
    return true;
  }

  /// Of `first + lane`, or of the first alone, what each lane adds to the counter.
  llvm::Constant* distances(Value* value) const {
    using namespace llvm::PatternMatch;
    auto* type = llvm::cast<llvm::FixedVectorType>(value->getType());
    Value* first = nullptr;
    llvm::Constant* lanes = llvm::Constant::getNullValue(type);
    llvm::Constant* added = nullptr;
    if (match(value, m_CombineOr(m_DisjointOr(m_Value(first), m_Constant(added)),
                                 m_NUWAdd(m_Value(first), m_Constant(added))))) {
      lanes = added;
      value = first;
    }
    // What is compared before it goes to all lanes may be there in the first alone.
    const auto inFirst = m_InsertElt(m_Poison(), m_Value(first), m_ZeroInt());
    if (!match(value, m_CombineOr(m_Shuffle(inFirst, m_Poison(), m_ZeroMask()), inFirst))) return nullptr;
    const bool counts = first == counter_ ||
                        (match(first, m_Trunc(m_Specific(counter_))) && first->getType()->getIntegerBitWidth() >= 32);
    return counts ? lanes : nullptr;
  }

  std::optional<Guard> guardOf(llvm::ICmpInst& compare) const {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(compare.getOperand(0)->getType());
    auto* limits = llvm::dyn_cast<llvm::Constant>(compare.getOperand(1));
    if (type == nullptr || limits == nullptr || !type->getElementType()->isIntegerTy()) return std::nullopt;
    llvm::Constant* lanes = distances(compare.getOperand(0));
    if (lanes == nullptr) return std::nullopt;
    // As far as numbers go that counters have, both signs agree.
    auto predicate = llvm::ICmpInst::getUnsignedPredicate(compare.getPredicate());
    std::int64_t least = kLargestBound, most = 0; // counters from which on lanes have the later answer
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      const auto* limit = llvm::dyn_cast_or_null<llvm::ConstantInt>(limits->getAggregateElement(lane));
      const auto* distance = llvm::dyn_cast_or_null<llvm::ConstantInt>(lanes->getAggregateElement(lane));
      if (limit == nullptr || distance == nullptr) return std::nullopt;
      const std::int64_t at = limit->getSExtValue() - distance->getSExtValue();
      const bool isAbove = predicate == llvm::CmpInst::ICMP_UGE || predicate == llvm::CmpInst::ICMP_ULT;
      if (std::abs(limit->getSExtValue()) >= kLargestBound || std::abs(distance->getSExtValue()) >= kLargestBound ||
          distance->isNegative() || (!compare.isEquality() && limit->isNegative()))
        return std::nullopt;
      least = std::min(least, isAbove ? at : at + 1);
      most = std::max(most, isAbove ? at : at + 1);
    }
    const auto width = static_cast<std::int64_t>(width_);
    if (most <= 0) return std::nullopt; // known everywhere
    Guard guard{&compare, llvm::alignTo(static_cast<std::uint64_t>(most), width_), false, std::nullopt};
    guard.after = predicate == llvm::CmpInst::ICMP_UGT || predicate == llvm::CmpInst::ICMP_UGE ||
                  predicate == llvm::CmpInst::ICMP_NE;
    if (!compare.isEquality() && least > static_cast<std::int64_t>(guard.bound) - width) guard.before = !guard.after;
    return guard;
  }

  /// The loop keeps the sub-groups that come first, a copy gets the others.
  void divide() {
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<BasicBlock*, 4> copies;
    const llvm::SmallVector<BasicBlock*, 4> blocks(loop_.blocks());
    for (BasicBlock* block : blocks) {
      copies.push_back(llvm::CloneBasicBlock(block, map, ".rest", block->getParent()));
      map[block] = copies.back();
    }
    llvm::remapInstructionsInBlocks(copies, map);
    for (llvm::PHINode& phi : exit_->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(latch_), llvm::cast<BasicBlock>(map[latch_]));
    auto* rest = llvm::cast<BasicBlock>(map[loop_.getHeader()]);
    auto* restCounter = llvm::cast<llvm::PHINode>(map[counter_]);
    restCounter->removeIncomingValue(before_, /*DeletePHIIfEmpty=*/false);
    Value* bound = llvm::ConstantInt::get(counter_->getType(), guard_->bound);
    const auto predicate = descends_ ? llvm::CmpInst::ICMP_UGE : llvm::CmpInst::ICMP_ULT;

    BasicBlock* goesOn = BasicBlock::Create(exit_->getContext(), "divide", exit_->getParent(), rest);
    llvm::IRBuilder<> builder(goesOn);
    builder.CreateCondBr(builder.CreateICmp(predicate, next_, bound), loop_.getHeader(), rest);
    latch_->getTerminator()->replaceSuccessorWith(loop_.getHeader(), goesOn);
    counter_->replaceIncomingBlockWith(latch_, goesOn);
    restCounter->addIncoming(next_, goesOn);
    // Ascending loops begin with zero, which is below.
    if (descends_) {
      Value* start = counter_->getIncomingValueForBlock(before_);
      before_->getTerminator()->eraseFromParent();
      builder.SetInsertPoint(before_);
      builder.CreateCondBr(builder.CreateICmp(predicate, start, bound), loop_.getHeader(), rest);
      restCounter->addIncoming(start, before_);
    }
    renewMetadata(*llvm::cast<BasicBlock>(map[latch_]));
    if (descends_) simplifyEnds(*restCounter, *llvm::cast<BasicBlock>(map[latch_]));

    auto* restCompare = llvm::cast<llvm::ICmpInst>(map[guard_->compare]);
    answer(descends_ ? *guard_->compare : *restCompare, guard_->after);
    if (guard_->before) answer(descends_ ? *restCompare : *guard_->compare, *guard_->before);
  }

  /// Where there is but one sub-group left, and who asks for the last one before.
  void simplifyEnds(llvm::PHINode& restCounter, BasicBlock& restLatch) {
    using namespace llvm::PatternMatch;
    const auto* asks =
        llvm::dyn_cast<llvm::ICmpInst>(llvm::cast<llvm::BranchInst>(latch_->getTerminator())->getCondition());
    if (asks == nullptr || !asks->isEquality() || asks->getOperand(0) != counter_ ||
        !match(asks->getOperand(1), m_Zero()))
      return;
    const auto decide = [&](BasicBlock& latch, bool goesOn) {
      auto* end = llvm::cast<llvm::BranchInst>(latch.getTerminator());
      end->setCondition(llvm::ConstantInt::getBool(latch.getContext(), goesOn == (end->getSuccessor(1) == exit_)));
    };
    decide(*latch_, true);
    if (guard_->bound != width_) return;
    decide(restLatch, false);
    restCounter.replaceAllUsesWith(llvm::ConstantInt::get(restCounter.getType(), 0));
  }

  /// Two loops may not share what names one of them.
  static void renewMetadata(BasicBlock& latch) {
    const llvm::MDNode* old = latch.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
    if (old == nullptr) return;
    llvm::SmallVector<llvm::Metadata*, 4> properties(old->operands());
    llvm::MDNode* renewed = llvm::MDNode::getDistinct(latch.getContext(), properties);
    renewed->replaceOperandWith(0, renewed);
    latch.getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, renewed);
  }

  static void answer(llvm::ICmpInst& compare, bool value) {
    compare.replaceAllUsesWith(llvm::ConstantInt::getBool(compare.getType(), value));
    compare.eraseFromParent();
  }

  llvm::Loop& loop_;
  const std::uint64_t width_;
  BasicBlock *latch_ = nullptr, *before_ = nullptr, *exit_ = nullptr;
  llvm::PHINode* counter_ = nullptr;
  Instruction* next_ = nullptr;
  bool descends_ = false;
  std::optional<Guard> guard_;
};

} // namespace

llvm::PreservedAnalyses SplitSubGroupLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  bool changed = false;
  // Innermost ones, none of which has to do with another.
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (const auto width = widthOf(*loop); width && loop->isInnermost()) changed |= Splitter(*loop, *width).run();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
