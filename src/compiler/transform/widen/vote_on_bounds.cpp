// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/vote_on_bounds.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::Value;

constexpr unsigned kMostInstructions = 256; ///< of a loop that is copied

/// A loop's only divergent end: a comparison with a bound that equals `common` in lanes for which `isCommon` holds.
struct Bound {
  llvm::ICmpInst* compare;
  unsigned operand; ///< the bound
  Value* common;    ///< the same for all lanes
  Value* isCommon;  ///< null: `common` is the lesser, or the greater, as `order` says
  Value* other = nullptr;
  llvm::CmpInst::Predicate order{};
};

class Loops {
 public:
  Loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        uniformity_(analyses.getResult<SubGroupUniformityAnalysis>(function)) {}

  bool run() {
    llvm::SmallVector<std::pair<llvm::Loop*, Bound>, 4> found;
    for (llvm::Loop* loop : loops_.getLoopsInPreorder())
      if (auto bound = boundOf(*loop); bound && mayBeCopied(*loop)) found.emplace_back(loop, *bound);
    // Copies of inner loops would be copied again with their outer ones.
    llvm::erase_if(found, [&](const auto& each) {
      return llvm::any_of(
          found, [&](const auto& other) { return other.first != each.first && other.first->contains(each.first); });
    });
    for (const auto& [loop, bound] : found)
      copy(*loop, bound);
    return !found.empty();
  }

 private:
  bool isUniform(const Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction == nullptr || uniformity_.isUniform(*instruction);
  }

  std::optional<Bound> boundOf(const llvm::Loop& loop) const {
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    llvm::erase_if(exiting, [&](const llvm::BasicBlock* block) { return !uniformity_.hasDivergentBranch(*block); });
    if (loop.getLoopPreheader() == nullptr || exiting.size() != 1) return std::nullopt;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting.front()->getTerminator());
    auto* compare = branch != nullptr ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (compare == nullptr || !compare->hasOneUse()) return std::nullopt;
    for (const unsigned operand : {0U, 1U}) {
      Value* value = compare->getOperand(operand);
      if (!isUniform(compare->getOperand(1 - operand)) || !loop.isLoopInvariant(value)) continue;
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
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&value))
      return isUniform(select->getTrueValue()) && !isUniform(select->getFalseValue())
                 ? std::optional(Bound{nullptr, 0, select->getTrueValue(), select->getCondition()})
                 : std::nullopt;
    const auto* choice = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&value);
    if (choice == nullptr) return std::nullopt;
    Value *common = choice->getLHS(), *other = choice->getRHS();
    if (!isUniform(common)) std::swap(common, other);
    if (!isUniform(common) || isUniform(other)) return std::nullopt;
    return Bound{nullptr, 0, common, nullptr, other, llvm::CmpInst::getNonStrictPredicate(choice->getPredicate())};
  }

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

  void copy(llvm::Loop& loop, const Bound& bound) {
    llvm::simplifyLoop(&loop, &dominators_, &loops_, nullptr, nullptr, nullptr, /*PreserveLCSSA=*/false);
    llvm::formLCSSARecursively(loop, dominators_, &loops_, nullptr);
    llvm::BasicBlock* vote = loop.getLoopPreheader();
    llvm::BasicBlock* preheader = llvm::SplitBlock(vote, vote->getTerminator(), &dominators_, &loops_);
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
    llvm::Loop* copied =
        llvm::cloneLoopWithPreheader(preheader, vote, &loop, map, ".common", &loops_, &dominators_, blocks);
    llvm::remapInstructionsInBlocks(blocks, map);

    llvm::IRBuilder<> builder(vote->getTerminator());
    Value* isCommon =
        bound.isCommon != nullptr ? bound.isCommon : builder.CreateICmp(bound.order, bound.common, bound.other);
    Value* agree = createSubGroupCall(builder, {SubGroupOperation::Agree}, {isCommon});
    builder.CreateCondBr(agree, copied->getLoopPreheader(), preheader);
    vote->getTerminator()->eraseFromParent();
    noteCounters(*copied, *bound.common, *isCommon);
    llvm::cast<llvm::ICmpInst>(map.lookup(bound.compare))->setOperand(bound.operand, bound.common);

    llvm::SmallVector<llvm::BasicBlock*, 2> exits;
    loop.getUniqueExitBlocks(exits);
    for (llvm::BasicBlock* exit : exits) {
      for (llvm::PHINode& phi : exit->phis())
        for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i) {
          if (!loop.contains(phi.getIncomingBlock(i))) continue;
          Value *value = phi.getIncomingValue(i), *ofCopy = map.lookup(value);
          phi.addIncoming(ofCopy != nullptr ? ofCopy : value,
                          llvm::cast<llvm::BasicBlock>(map.lookup(phi.getIncomingBlock(i))));
        }
      dominators_.changeImmediateDominator(exit, dominators_.findNearestCommonDominator(vote, exit));
    }
  }

  /// If `isCommon` says that a counter's start and the number of iterations have a sum that does not wrap around, the
  /// counter does not, either (UniformBoundsPass).
  static void noteCounters(const llvm::Loop& loop, Value& iterations, Value& isCommon) {
    using namespace llvm::PatternMatch;
    for (llvm::PHINode& phi : loop.getHeader()->phis()) {
      const Value* start = phi.getIncomingValueForBlock(loop.getLoopPreheader());
      auto* step = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
      if (step == nullptr || !match(step, m_Add(m_Specific(&phi), m_One()))) continue;
      Value* least = nullptr; ///< -iterations
      const auto fits = m_SpecificICmp(llvm::CmpInst::ICMP_ULT, m_Specific(start), m_Value(least));
      if (!match(&isCommon, m_CombineOr(fits, m_c_And(fits, m_Value())))) continue;
      const auto *number = llvm::dyn_cast<llvm::ConstantInt>(least),
                 *count = llvm::dyn_cast<llvm::ConstantInt>(&iterations);
      if (match(least, m_Neg(m_Specific(&iterations))) ||
          (number != nullptr && count != nullptr && number->getValue() == -count->getValue()))
        step->setHasNoUnsignedWrap(true);
    }
  }

  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  const WorkItemUniformity& uniformity_;
};

} // namespace

llvm::PreservedAnalyses VoteOnBoundsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  // Arguments of other functions may differ between work-items.
  if (!isKernel(function) || !Loops(function, analyses).run()) return llvm::PreservedAnalyses::all();
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
