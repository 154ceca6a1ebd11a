// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/vote_on_bounds.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <memory>
#include <optional>
#include <utility>

namespace clotho::compiler {
namespace {

using llvm::Value;

constexpr unsigned kMostInstructions = 256; ///< of a loop that is copied

/// Copies loops of a kernel for sub-groups whose lanes have something in common.
/// Needs: loops in simplified and loop-closed form (prepare).
class LoopCopies {
 public:
  /// Brings loops into the form that copies need, which may move, merge and delete instructions: must run before any
  /// are remembered. Returns whether it has changed something.
  static bool prepare(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    bool changed = false;
    // simplifyLoop may make two loops of one. The outer one then takes its place among the loops.
    for (llvm::Loop* loop : llvm::SmallVector<llvm::Loop*, 4>(loops.begin(), loops.end()))
      changed |= llvm::simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr, /*PreserveLCSSA=*/false);
    for (llvm::Loop* loop : loops)
      changed |= llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
    if (changed) analyses.invalidate(function, llvm::PreservedAnalyses::none());
    return changed;
  }

  LoopCopies(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)) {}

  auto all() const { return loops_.getLoopsInPreorder(); }

  static bool mayBeCopied(const llvm::Loop& loop) {
    std::size_t count = 0;
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const llvm::Instruction& instruction : *block) {
        // All sub-groups of a work-group reach the same barrier.
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call != nullptr && (call->isConvergent() || call->cannotDuplicate())) return false;
        if (++count > kMostInstructions) return false;
      }
    return true;
  }

  /// A copy of a loop, and what has become of its instructions.
  struct Copy {
    llvm::Loop* loop;
    std::unique_ptr<llvm::ValueToValueMapTy> map;
    llvm::ICmpInst& of(const llvm::ICmpInst& compare) const {
      return *llvm::cast<llvm::ICmpInst>(map->lookup(&compare));
    }
  };

  /// Makes a copy for sub-groups in which `isCommon` holds for all lanes.
  Copy copy(llvm::Loop& loop, Value& isCommon) {
    llvm::BasicBlock* vote = loop.getLoopPreheader();
    llvm::BasicBlock* preheader = llvm::SplitBlock(vote, vote->getTerminator(), &dominators_, &loops_);
    Copy made{nullptr, std::make_unique<llvm::ValueToValueMapTy>()};
    llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
    made.loop =
        llvm::cloneLoopWithPreheader(preheader, vote, &loop, *made.map, ".common", &loops_, &dominators_, blocks);
    llvm::remapInstructionsInBlocks(blocks, *made.map);

    llvm::IRBuilder<> builder(vote->getTerminator());
    Value* agree = createSubGroupCall(builder, {SubGroupOperation::Agree}, {&isCommon});
    builder.CreateCondBr(agree, made.loop->getLoopPreheader(), preheader);
    vote->getTerminator()->eraseFromParent();

    llvm::SmallVector<llvm::BasicBlock*, 2> exits;
    loop.getUniqueExitBlocks(exits);
    for (llvm::BasicBlock* exit : exits) {
      for (llvm::PHINode& phi : exit->phis())
        for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i) {
          if (!loop.contains(phi.getIncomingBlock(i))) continue;
          Value *value = phi.getIncomingValue(i), *ofCopy = made.map->lookup(value);
          phi.addIncoming(ofCopy != nullptr ? ofCopy : value,
                          llvm::cast<llvm::BasicBlock>(made.map->lookup(phi.getIncomingBlock(i))));
        }
      dominators_.changeImmediateDominator(exit, dominators_.findNearestCommonDominator(vote, exit));
    }
    return made;
  }

 private:
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
};

/// A loop's only divergent end: a comparison with a bound that equals `common` in lanes for which `isCommon` holds.
struct Bound {
  llvm::ICmpInst* compare;
  unsigned operand; ///< the bound
  Value* common;    ///< the same for all lanes
  Value* isCommon;  ///< null: `common` is the lesser, or the greater, as `order` says
  Value* other = nullptr;
  llvm::CmpInst::Predicate order{};
};

/// Loops that end at the lesser of two bounds.
class Bounds {
 public:
  Bounds(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(function, analyses), uniformity_(analyses.getResult<SubGroupUniformityAnalysis>(function)) {}

  bool hasAny() { return !find().empty(); }

  bool run() {
    auto found = find();
    // Copies of inner loops would be copied again with their outer ones.
    llvm::erase_if(found, [&](const auto& each) {
      return llvm::any_of(
          found, [&](const auto& other) { return other.first != each.first && other.first->contains(each.first); });
    });
    for (const auto& [loop, bound] : found) {
      llvm::IRBuilder<> builder(loop->getLoopPreheader()->getTerminator());
      Value* isCommon =
          bound.isCommon != nullptr ? bound.isCommon : builder.CreateICmp(bound.order, bound.common, bound.other);
      const LoopCopies::Copy made = loops_.copy(*loop, *isCommon);
      llvm::ICmpInst& compare = made.of(*bound.compare);
      compare.setOperand(bound.operand, bound.common);
      if (runsAtMost(*made.loop, compare)) noteCounters(*made.loop, *bound.common, *isCommon);
    }
    return !found.empty();
  }

 private:
  llvm::SmallVector<std::pair<llvm::Loop*, Bound>, 4> find() {
    llvm::SmallVector<std::pair<llvm::Loop*, Bound>, 4> found;
    for (llvm::Loop* loop : loops_.all())
      if (auto bound = boundOf(*loop); bound && LoopCopies::mayBeCopied(*loop)) found.emplace_back(loop, *bound);
    return found;
  }

  std::optional<Bound> boundOf(const llvm::Loop& loop) const {
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    llvm::erase_if(exiting, [&](const llvm::BasicBlock* block) { return !uniformity_.hasDivergentBranch(*block); });
    if (loop.getLoopPreheader() == nullptr || exiting.size() != 1) return std::nullopt;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting.front()->getTerminator());
    auto* compare = branch != nullptr ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (compare == nullptr || !compare->hasOneUse() || !loop.contains(compare)) return std::nullopt;
    for (const unsigned operand : {0U, 1U}) {
      Value* value = compare->getOperand(operand);
      if (!uniformity_.isUniform(compare->getOperand(1 - operand)) || !loop.isLoopInvariant(value)) continue;
      if (auto bound = choiceIn(*value)) {
        bound->compare = compare;
        bound->operand = operand;
        return bound;
      }
    }
    return std::nullopt;
  }

  /// A value that is one of two, one of which is uniform.
  std::optional<Bound> choiceIn(Value& value) const {
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&value)) {
      // Lengths that are constant are those of starts at constant distances, which uniform versioning tests.
      Value* common = select->getTrueValue();
      const bool isTested = llvm::isa<llvm::Constant>(common) && uniformity_.isUniform(select->getFalseValue());
      if (!uniformity_.isUniform(common) || isTested) return std::nullopt;
      return Bound{nullptr, 0, common, select->getCondition()};
    }
    const auto* choice = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&value);
    if (choice == nullptr) return std::nullopt;
    Value *common = choice->getLHS(), *other = choice->getRHS();
    if (!uniformity_.isUniform(common)) std::swap(common, other);
    if (!uniformity_.isUniform(common) || uniformity_.isUniform(other)) return std::nullopt;
    return Bound{nullptr, 0, common, nullptr, other, llvm::CmpInst::getNonStrictPredicate(choice->getPredicate())};
  }

  /// Whether the loop ends when a counter of its iterations reaches the comparison's second operand.
  static bool runsAtMost(const llvm::Loop& loop, const llvm::ICmpInst& compare) {
    using namespace llvm::PatternMatch;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(loop.getHeader()->getTerminator());
    const auto* counter = llvm::dyn_cast<llvm::PHINode>(compare.getOperand(0));
    return branch != nullptr && branch->isConditional() && branch->getCondition() == &compare &&
           loop.contains(branch->getSuccessor(0)) && compare.getPredicate() == llvm::CmpInst::ICMP_ULT &&
           counter != nullptr && counter->getParent() == loop.getHeader() &&
           match(counter->getIncomingValueForBlock(loop.getLoopPreheader()), m_Zero()) &&
           match(counter->getIncomingValueForBlock(loop.getLoopLatch()), m_Add(m_Specific(counter), m_One()));
  }

  /// If `isCommon` says that a counter's start and the number of iterations have a sum that does not wrap around, the
  /// counter does not, either (UniformBoundsPass).
  static void noteCounters(const llvm::Loop& loop, Value& iterations, Value& isCommon) {
    using namespace llvm::PatternMatch;
    for (llvm::PHINode& phi : loop.getHeader()->phis()) {
      const Value* start = phi.getIncomingValueForBlock(loop.getLoopPreheader());
      auto* step = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
      if (step == nullptr || step->getParent() == loop.getHeader() || !match(step, m_Add(m_Specific(&phi), m_One())))
        continue;
      Value* least = nullptr; ///< -iterations
      const auto fits = m_SpecificICmp(llvm::CmpInst::ICMP_ULT, m_Specific(start), m_Value(least));
      if (!match(&isCommon, m_CombineOr(fits, m_c_And(fits, m_Value())))) continue;
      const auto *number = llvm::dyn_cast<llvm::ConstantInt>(least),
                 *count = llvm::dyn_cast<llvm::ConstantInt>(&iterations);
      if (match(least, m_Neg(m_Specific(&iterations))) ||
          (number != nullptr && count != nullptr && number->getType() == count->getType() &&
           number->getValue() == -count->getValue()))
        step->setHasNoUnsignedWrap(true);
    }
  }

  LoopCopies loops_;
  const WorkItemUniformity& uniformity_;
};

/// A comparison in a loop that has one outcome in all iterations if it has it in the first and in the last.
struct Guard {
  llvm::ICmpInst* compare;
  bool outcome;
  llvm::CmpInst::Predicate predicate; ///< compares the counter with the limit
  const llvm::SCEVAddRecExpr* counter;
  const llvm::SCEV *last, *limit;
};

/// Finds the guards of a loop which all lanes run equally often.
class Guards {
 public:
  Guards(llvm::Loop& loop, llvm::ScalarEvolution& evolution, const WorkItemUniformity& uniformity)
      : loop_(loop), evolution_(evolution), uniformity_(uniformity) {}

  /// All conditions of divergent branches; none if one of them is something else, or if the loop has a divergent end.
  llvm::SmallVector<Guard, 4> find() {
    llvm::SmallVector<Guard, 4> found;
    const llvm::BasicBlock* end = loop_.getExitingBlock();
    if (!loop_.isInnermost() || !loop_.getLoopPreheader() || end == nullptr || end != loop_.getLoopLatch() ||
        uniformity_.hasDivergentBranch(*end))
      return {};
    backedgesTaken_ = evolution_.getBackedgeTakenCount(&loop_);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(backedgesTaken_)) return {};
    for (llvm::BasicBlock* block : loop_.blocks()) {
      if (!uniformity_.hasDivergentBranch(*block)) continue;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (branch == nullptr || !add(*branch, found)) return {};
    }
    return found;
  }

  /// Whether all guards have their outcomes in the first and in the last iteration, and nothing wraps around between
  /// them; null if that cannot be computed before the loop.
  Value* evaluate(llvm::ArrayRef<Guard> guards) {
    llvm::Instruction& where = *loop_.getLoopPreheader()->getTerminator();
    llvm::SCEVExpander expander(evolution_, "guard");
    llvm::SCEVExpanderCleaner cleaner(expander);
    llvm::IRBuilder<> builder(&where);
    Value* all = nullptr;
    for (const auto& [compare, outcome, predicate, counter, last, limit] : guards) {
      if (!expander.isSafeToExpandAt(counter->getStart(), &where) || !expander.isSafeToExpandAt(last, &where) ||
          !expander.isSafeToExpandAt(limit, &where))
        return nullptr;
      const auto expand = [&](const llvm::SCEV* value) { return expander.expandCodeFor(value, nullptr, &where); };
      Value *first = expand(counter->getStart()), *end = expand(last), *resting = expand(limit);
      const auto both = [&](Value* condition) { all = all == nullptr ? condition : builder.CreateAnd(all, condition); };
      const auto asWanted = outcome ? predicate : llvm::CmpInst::getInversePredicate(predicate);
      both(builder.CreateICmp(asWanted, first, resting));
      both(builder.CreateICmp(asWanted, end, resting));
      if (llvm::CmpInst::isSigned(predicate)) continue;
      // Signed numbers that do not wrap around do so as unsigned ones between -1 and 0.
      both(builder.CreateICmpSGE(builder.CreateXor(first, end), llvm::Constant::getNullValue(first->getType())));
    }
    cleaner.markResultUsed();
    return builder.CreateFreeze(all); // some iterations may not come to the guards
  }

 private:
  bool add(const llvm::BranchInst& branch, llvm::SmallVectorImpl<Guard>& found) {
    using namespace llvm::PatternMatch;
    const llvm::BasicBlock *yes = branch.getSuccessor(0), *no = branch.getSuccessor(1);
    // The usual outcome is that with more to do.
    if ((yes->getSinglePredecessor() == nullptr) == (no->getSinglePredecessor() == nullptr)) return false;
    const bool outcome = yes->getSinglePredecessor() != nullptr;
    llvm::SmallVector<Value*, 4> conditions{branch.getCondition()};
    while (!conditions.empty()) {
      Value* condition = conditions.pop_back_val();
      Value *left = nullptr, *right = nullptr;
      if (outcome ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                  : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
        conditions.append({left, right});
        continue;
      }
      if (uniformity_.isUniform(condition)) continue;
      auto guard = guardOf(*condition, outcome);
      if (!guard) return false;
      found.push_back(*guard);
    }
    return true;
  }

  std::optional<Guard> guardOf(Value& condition, bool outcome) {
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    if (compare == nullptr || compare->isEquality() || !compare->getOperand(0)->getType()->isIntegerTy())
      return std::nullopt;
    auto predicate = compare->getPredicate();
    const llvm::SCEV *counter = evolution_.getSCEV(compare->getOperand(0)),
                     *limit = evolution_.getSCEV(compare->getOperand(1));
    if (!llvm::isa<llvm::SCEVAddRecExpr>(counter)) {
      std::swap(counter, limit);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    }
    const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(counter);
    if (moving == nullptr || moving->getLoop() != &loop_ || !moving->isAffine() ||
        !llvm::isa<llvm::SCEVConstant>(moving->getStepRecurrence(evolution_)) ||
        !evolution_.isLoopInvariant(limit, &loop_) || !moving->hasNoSignedWrap())
      return std::nullopt;
    return Guard{compare, outcome, predicate, moving, moving->evaluateAtIteration(backedgesTaken_, evolution_), limit};
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  const WorkItemUniformity& uniformity_;
  const llvm::SCEV* backedgesTaken_ = nullptr; ///< how often the loop goes back to its header
};

} // namespace

// Arguments of functions that are not kernels may differ between work-items.
llvm::PreservedAnalyses VoteOnBoundsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || !Bounds(function, analyses).hasAny()) return llvm::PreservedAnalyses::all();
  const bool isPrepared = LoopCopies::prepare(function, analyses);
  const bool changed = Bounds(function, analyses).run() || isPrepared;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses VoteOnGuardsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto guardsOf = [&](llvm::Loop& loop) {
    return Guards(loop, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                  analyses.getResult<SubGroupUniformityAnalysis>(function));
  };
  const auto hasGuards = [&](llvm::Loop* loop) {
    return LoopCopies::mayBeCopied(*loop) && !guardsOf(*loop).find().empty();
  };
  if (!isKernel(function) || llvm::none_of(LoopCopies(function, analyses).all(), hasGuards))
    return llvm::PreservedAnalyses::all();
  LoopCopies::prepare(function, analyses);

  struct Guarded {
    llvm::Loop* loop;
    llvm::SmallVector<Guard, 4> guards;
    Value* hold;
  };
  LoopCopies loops(function, analyses);
  llvm::SmallVector<Guarded, 4> found;
  // All that they ask is computed before a loop is copied.
  for (llvm::Loop* loop : loops.all()) {
    if (!LoopCopies::mayBeCopied(*loop)) continue;
    Guards guards = guardsOf(*loop);
    auto each = guards.find();
    Value* hold = each.empty() ? nullptr : guards.evaluate(each);
    if (hold != nullptr) found.push_back({loop, std::move(each), hold});
  }
  for (const auto& [loop, guards, hold] : found) {
    const LoopCopies::Copy made = loops.copy(*loop, *hold);
    for (const Guard& guard : guards)
      made.of(*guard.compare).replaceAllUsesWith(llvm::ConstantInt::getBool(hold->getContext(), guard.outcome));
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
