// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/head_tests.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::Value;

/// A rotated loop: it is left from its latch, and a guard before it tests the same condition for the first iteration.
class GuardedLoop {
 public:
  /// Nothing if the loop is not a guarded one.
  static std::optional<GuardedLoop> find(const llvm::Loop& loop) {
    GuardedLoop found(loop);
    if (!found.hasForm() || !found.hasEqualTests()) return std::nullopt;
    return found;
  }

  void moveTest() {
    // Instructions between guard and loop have no side effects and may be executed without an iteration.
    while (before_ != guard_ && &before_->front() != before_->getTerminator()) {
      before_->front().dropUBImplyingAttrsAndMetadata();
      before_->front().moveBefore(guard_->getTerminator()->getIterator());
    }
    llvm::Function& function = *header_->getParent();
    head_ = BasicBlock::Create(function.getContext(), "head", &function, header_);
    llvm::IRBuilder<> builder(head_);
    // The test is built before the phis are moved, since these identify the loop's values.
    Value* test = testAtHead(builder);
    if (join_ != nullptr) leaveByTail();
    for (llvm::PHINode& phi : exit_->phis())
      joinValues(phi);
    while (auto* phi = llvm::dyn_cast<llvm::PHINode>(&header_->front())) {
      phi->moveBefore(*head_, head_->getFirstNonPHIIt());
      phi->replaceIncomingBlockWith(before_, guard_);
    }
    const bool goesOnFirst = endBranch_->getSuccessor(0) == header_;
    builder.SetInsertPoint(head_);
    builder.CreateCondBr(test, goesOnFirst ? header_ : exit_, goesOnFirst ? exit_ : header_);
    BranchInst* again = BranchInst::Create(head_, endBranch_->getIterator());
    again->setMetadata(llvm::LLVMContext::MD_loop, endBranch_->getMetadata(llvm::LLVMContext::MD_loop));
    again->setDebugLoc(endBranch_->getDebugLoc());
    endBranch_->eraseFromParent();
    BranchInst::Create(head_, guardBranch_->getIterator());
    guardBranch_->eraseFromParent();
    if (before_ != guard_) before_->eraseFromParent();
  }

 private:
  explicit GuardedLoop(const llvm::Loop& loop) : loop_(loop), header_(loop.getHeader()), latch_(loop.getLoopLatch()) {}

  static BranchInst* conditionalBranch(BasicBlock* block) {
    auto* branch = llvm::dyn_cast<BranchInst>(block->getTerminator());
    return branch != nullptr && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) ? branch
                                                                                                              : nullptr;
  }

  bool hasForm() {
    before_ = loop_.getLoopPredecessor();
    if (before_ == nullptr || latch_ == nullptr) return false;
    endBranch_ = conditionalBranch(latch_);
    if (endBranch_ == nullptr) return false;
    exit_ = endBranch_->getSuccessor(endBranch_->getSuccessor(0) == header_ ? 1 : 0);
    if (loop_.contains(exit_)) return false;
    guard_ = before_;
    if (before_->getSingleSuccessor() != nullptr) {
      guard_ = before_->getSinglePredecessor();
      if (guard_ == nullptr || !isSpeculatable(*before_)) return false;
    }
    guardBranch_ = conditionalBranch(guard_);
    if (guardBranch_ == nullptr || exit_ == guard_) return false;
    if (!llvm::is_contained(guardBranch_->successors(), exit_) && !findTail()) return false;
    return llvm::is_contained(guardBranch_->successors(), before_ == guard_ ? header_ : before_);
  }

  /// Whether the guard's other edge may lead to a block after the loop that computes something from the loop's results.
  /// The start values of the loop's phis must then give the values on that edge.
  bool findTail() {
    BasicBlock* join = exit_->getSingleSuccessor();
    if (join == nullptr || exit_->getSinglePredecessor() != latch_ || !isSpeculatable(*exit_) ||
        !llvm::is_contained(guardBranch_->successors(), join))
      return false;
    join_ = join;
    const auto isKnown = [&](const Value* value) {
      const auto* instruction = llvm::dyn_cast<Instruction>(value);
      return instruction == nullptr || !loop_.contains(instruction) || variableOf(value) != nullptr;
    };
    llvm::DenseMap<const Value*, Value*> made;
    for (Instruction& instruction : *exit_) {
      if (!llvm::all_of(instruction.operand_values(), isKnown)) return false;
      made[&instruction] = withoutIterations(instruction, made);
    }
    return llvm::all_of(join->phis(), [&](const llvm::PHINode& phi) {
      Value* atTail = phi.getIncomingValueForBlock(exit_);
      return isKnown(atTail) && withoutIterations(atTail, made) == phi.getIncomingValueForBlock(guard_);
    });
  }

  /// The value after a loop without iterations; null if unknown. `made`: values of earlier instructions.
  Value* withoutIterations(Value* value, const llvm::DenseMap<const Value*, Value*>& made) const {
    if (const auto found = made.find(value); found != made.end()) return found->second;
    const llvm::PHINode* variable = variableOf(value);
    return variable == nullptr ? value : variable->getIncomingValueForBlock(before_);
  }
  Value* withoutIterations(Instruction& instruction, const llvm::DenseMap<const Value*, Value*>& made) const {
    llvm::SmallVector<llvm::Constant*, 4> operands;
    for (Value* operand : instruction.operand_values()) {
      operands.push_back(llvm::dyn_cast_or_null<llvm::Constant>(withoutIterations(operand, made)));
      if (operands.back() == nullptr) return nullptr;
    }
    return instruction.isTerminator()
               ? nullptr
               : llvm::ConstantFoldInstOperands(&instruction, operands, instruction.getDataLayout());
  }

  /// Rewrites the exit block, and the phis after it, to use the values of the new header.
  void leaveByTail() {
    for (Instruction& instruction : *exit_) {
      instruction.dropPoisonGeneratingFlags(); // They held only behind the guard.
      for (llvm::Use& use : instruction.operands())
        if (llvm::PHINode* variable = variableOf(use)) use.set(variable);
    }
    for (llvm::PHINode& phi : join_->phis()) {
      if (llvm::PHINode* variable = variableOf(phi.getIncomingValueForBlock(exit_)))
        phi.setIncomingValueForBlock(exit_, variable);
      phi.removeIncomingValue(guard_, /*DeletePHIIfEmpty=*/false);
    }
  }

  static bool isSpeculatable(const BasicBlock& block) {
    constexpr std::size_t kMostInstructions = 64;
    return block.size() <= kMostInstructions && llvm::all_of(block, [&](const Instruction& instruction) {
             return &instruction == block.getTerminator() ||
                    (!llvm::isa<llvm::PHINode>(instruction) && llvm::isSafeToSpeculativelyExecute(&instruction));
           });
  }

  bool hasEqualTests() {
    endTest_ = llvm::dyn_cast<llvm::ICmpInst>(endBranch_->getCondition());
    guardTest_ = llvm::dyn_cast<llvm::ICmpInst>(guardBranch_->getCondition());
    if (endTest_ == nullptr || guardTest_ == nullptr) return false;
    const bool isInverse = (endBranch_->getSuccessor(0) == exit_) != (guardBranch_->getSuccessor(0) == skipped());
    const auto asked = isInverse ? guardTest_->getInversePredicate() : guardTest_->getPredicate();
    for (const bool isSwapped : {false, true}) {
      if (endTest_->getPredicate() != (isSwapped ? llvm::ICmpInst::getSwappedPredicate(asked) : asked)) continue;
      if (atHead(endTest_->getOperand(0), guardTest_->getOperand(isSwapped ? 1 : 0), nullptr) == nullptr ||
          atHead(endTest_->getOperand(1), guardTest_->getOperand(isSwapped ? 0 : 1), nullptr) == nullptr)
        continue;
      isSwapped_ = isSwapped;
      return true;
    }
    return hasTestsOfCounter();
  }

  /// Whether a phi starts with a zero-extended number and is compared with a constant, while the guard compares the
  /// number before its extension.
  bool hasTestsOfExtended(llvm::CmpInst::Predicate enters, llvm::CmpInst::Predicate stays) {
    const auto *bound = llvm::dyn_cast<llvm::ConstantInt>(endTest_->getOperand(1)),
               *asked = llvm::dyn_cast<llvm::ConstantInt>(guardTest_->getOperand(1));
    llvm::PHINode* variable = variableOf(endTest_->getOperand(0));
    if (bound == nullptr || asked == nullptr || variable == nullptr) return false;
    const auto* first = llvm::dyn_cast<llvm::ZExtInst>(variable->getIncomingValueForBlock(before_));
    const unsigned bits = asked->getBitWidth();
    if (first == nullptr || first->getOperand(0) != guardTest_->getOperand(0) || llvm::CmpInst::isSigned(stays) ||
        !bound->getValue().isIntN(bits) ||
        llvm::ConstantRange::makeExactICmpRegion(stays, bound->getValue().trunc(bits)) !=
            llvm::ConstantRange::makeExactICmpRegion(enters, asked->getValue()))
      return false;
    counter_ = variable;
    bound_ = endTest_->getOperand(1);
    predicate_ = endTest_->getPredicate();
    return true;
  }

  /// Whether the tests match although the guard has been simplified for a constant start: n != 0 instead of 0 < n. The
  /// latch of a loop that counts up by one may test for equality: guard and loop keep the counter below the bound.
  bool hasTestsOfCounter() {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(guardTest_->getOperand(1));
    if (constant == nullptr) return false;
    const bool entersFirst = guardBranch_->getSuccessor(0) != skipped(),
               staysFirst = endBranch_->getSuccessor(0) == header_;
    const auto enters = entersFirst ? guardTest_->getPredicate() : guardTest_->getInversePredicate();
    const auto stays = staysFirst ? endTest_->getPredicate() : endTest_->getInversePredicate();
    if (hasTestsOfExtended(enters, stays)) return true;
    for (const unsigned side : {0U, 1U}) {
      llvm::PHINode* variable = variableOf(endTest_->getOperand(side));
      if (variable == nullptr || endTest_->getOperand(1 - side) != guardTest_->getOperand(0)) continue;
      const auto* first = llvm::dyn_cast<llvm::ConstantInt>(variable->getIncomingValueForBlock(before_));
      if (first == nullptr) continue;
      llvm::SmallVector<llvm::CmpInst::Predicate, 3> predicates = {
          side == 0 ? stays : llvm::CmpInst::getSwappedPredicate(stays)};
      if (stays == llvm::CmpInst::ICMP_NE && goesOnByOne(*variable))
        predicates.append({llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_ULT});
      for (const llvm::CmpInst::Predicate predicate : predicates) {
        const auto ofBound = llvm::CmpInst::getSwappedPredicate(predicate);
        if (llvm::ConstantRange::makeExactICmpRegion(ofBound, first->getValue()) !=
            llvm::ConstantRange::makeExactICmpRegion(enters, constant->getValue()))
          continue;
        counter_ = variable;
        bound_ = guardTest_->getOperand(0);
        predicate_ = staysFirst ? predicate : llvm::CmpInst::getInversePredicate(predicate);
        return true;
      }
    }
    return false;
  }

  bool goesOnByOne(const llvm::PHINode& variable) const {
    using namespace llvm::PatternMatch;
    return match(variable.getIncomingValueForBlock(latch_), m_Add(m_Specific(&variable), m_One()));
  }

  Value* testAtHead(llvm::IRBuilder<>& builder) const {
    if (counter_ != nullptr) return builder.CreateICmp(predicate_, counter_, bound_);
    Value* left = atHead(endTest_->getOperand(0), guardTest_->getOperand(isSwapped_ ? 1 : 0), &builder);
    Value* right = atHead(endTest_->getOperand(1), guardTest_->getOperand(isSwapped_ ? 0 : 1), &builder);
    return builder.CreateICmp(endTest_->getPredicate(), left, right);
  }

  /// Block to which the guard branches if the loop runs no iteration.
  BasicBlock* skipped() const { return join_ != nullptr ? join_ : exit_; }

  /// The phi with this value at the latch; null if there is none.
  llvm::PHINode* variableOf(const Value* atEnd) const {
    for (llvm::PHINode& phi : header_->phis())
      if (phi.getIncomingValueForBlock(latch_) == atEnd && !llvm::isa<llvm::Constant>(atEnd)) return &phi;
    return nullptr;
  }

  /// The phi with one value at the latch and the other before the loop; null if there is none.
  llvm::PHINode* variableOf(const Value* atEnd, const Value* atGuard) const {
    for (llvm::PHINode& phi : header_->phis())
      if (phi.getIncomingValueForBlock(latch_) == atEnd && phi.getIncomingValueForBlock(before_) == atGuard)
        return &phi;
    return nullptr;
  }

  /// Value in the new header that is `atEnd` at the latch and `atGuard` at the guard; null if they differ by more than
  /// the loop's phis. Without a builder nothing is emitted, and the result only says whether that is possible.
  Value* atHead(Value* atEnd, Value* atGuard, llvm::IRBuilder<>* builder, unsigned depth = 0) const {
    constexpr unsigned kDepthLimit = 4;
    if (llvm::PHINode* variable = variableOf(atEnd, atGuard)) return variable;
    auto* ofEnd = llvm::dyn_cast<Instruction>(atEnd);
    const auto* ofGuard = llvm::dyn_cast<Instruction>(atGuard);
    if (atEnd == atGuard) return ofEnd == nullptr || !loop_.contains(ofEnd) ? atEnd : nullptr;
    if (ofEnd == nullptr || ofGuard == nullptr || depth == kDepthLimit || llvm::isa<llvm::PHINode>(ofEnd) ||
        !ofEnd->isSameOperationAs(ofGuard) || ofEnd->mayReadOrWriteMemory() ||
        !llvm::isSafeToSpeculativelyExecute(ofEnd))
      return nullptr;
    llvm::SmallVector<Value*, 4> operands;
    for (const auto [end, guard] : llvm::zip_equal(ofEnd->operands(), ofGuard->operands())) {
      operands.push_back(atHead(end, guard, builder, depth + 1));
      if (operands.back() == nullptr) return nullptr;
    }
    if (builder == nullptr) return atEnd;
    Instruction* copy = ofEnd->clone();
    copy->andIRFlags(ofGuard);
    for (const auto& [i, operand] : llvm::enumerate(operands))
      copy->setOperand(static_cast<unsigned>(i), operand);
    return builder->Insert(copy);
  }

  /// Values that reached the exit from the guard and the latch now come from the new header.
  void joinValues(llvm::PHINode& phi) {
    Value *atEnd = phi.getIncomingValueForBlock(latch_), *atGuard = phi.getIncomingValueForBlock(guard_);
    Value* value = variableOf(atEnd, atGuard);
    if (value == nullptr && atEnd == atGuard) value = atEnd;
    if (value == nullptr) {
      auto* joined = llvm::PHINode::Create(phi.getType(), 2, phi.getName(), head_->begin());
      joined->addIncoming(atGuard, guard_);
      joined->addIncoming(atEnd, latch_);
      value = joined;
    }
    phi.removeIncomingValue(guard_, /*DeletePHIIfEmpty=*/false);
    phi.setIncomingValueForBlock(latch_, value);
    phi.replaceIncomingBlockWith(latch_, head_);
  }

  const llvm::Loop& loop_;
  BasicBlock *header_, *latch_;
  BasicBlock *before_ = nullptr, *guard_ = nullptr, *exit_ = nullptr, *head_ = nullptr;
  /// Block at which the guard's other edge meets the exit's successor; null if it leads to the exit itself.
  BasicBlock* join_ = nullptr;
  BranchInst *endBranch_ = nullptr, *guardBranch_ = nullptr;
  llvm::ICmpInst *endTest_ = nullptr, *guardTest_ = nullptr;
  bool isSwapped_ = false;
  llvm::PHINode* counter_ = nullptr; ///< which the test at the head compares with the bound, if given
  Value* bound_ = nullptr;
  llvm::CmpInst::Predicate predicate_ = llvm::CmpInst::BAD_ICMP_PREDICATE;
};

} // namespace

llvm::PreservedAnalyses HeadTestsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto moveOne = [&] {
    for (const llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
      if (auto guarded = GuardedLoop::find(*loop)) {
        guarded->moveTest();
        return true;
      }
    return false;
  };
  bool changed = false;
  while (moveOne()) {
    changed = true;
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
