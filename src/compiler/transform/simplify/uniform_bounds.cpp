// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/uniform_bounds.hpp"

#include "compiler/analysis/loop_polynomials.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace clotho::compiler {
namespace {

using llvm::Value;

class LoopBounds {
 public:
  /// `isLast`: as UniformBoundsPass has it.
  LoopBounds(llvm::Loop& loop, const WorkItemUniformity& uniformity, const llvm::DominatorTree& dominators, bool isLast)
      : loop_(loop), uniformity_(uniformity), dominators_(dominators), isLast_(isLast) {}

  bool run() {
    bool changed = false;
    if (loop_.getLoopPreheader() == nullptr || loop_.getLoopLatch() == nullptr) return false;
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop_.getExitingBlocks(exiting);
    for (llvm::BasicBlock* block : exiting)
      if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
          branch != nullptr && branch->isConditional() && uniformity_.hasDivergentBranch(*block))
        if (const auto comparison = comparisonOf(*branch))
          if (Value* condition = compareDistances(*comparison, *branch)) {
            branch->setCondition(condition);
            changed = true;
          }
    return changed;
  }

 private:
  /// A counter compared with a bound, or with the lesser or greater of two.
  struct Comparison {
    llvm::CmpInst::Predicate predicate;
    Value *left, *right;
    Value* other = nullptr; ///< null: there is one bound
    bool isLesser = true;
    bool isUnused = false; ///< `other`, where the first bound has ended the loop: it may be poison there

    bool hasAddresses() const { return left->getType()->isPointerTy(); }
    // Addresses within one object have the same order as signed and as unsigned numbers.
    bool isSigned() const {
      return llvm::CmpInst::isSigned(predicate) || llvm::CmpInst::isEquality(predicate) || hasAddresses();
    }
  };

  /// The comparison by which a branch ends the loop.
  std::optional<Comparison> comparisonOf(const llvm::BranchInst& branch) const {
    using namespace llvm::PatternMatch;
    Value *first = nullptr, *second = nullptr;
    if (match(branch.getCondition(), m_LogicalAnd(m_Value(first), m_Value(second))) &&
        loop_.contains(branch.getSuccessor(0))) {
      auto both = comparisonWith(*first);
      const auto more = comparisonWith(*second);
      if (!both || !more || both->other != nullptr || more->other != nullptr || both->left != more->left ||
          both->predicate != more->predicate || llvm::CmpInst::isEquality(both->predicate))
        return std::nullopt;
      both->other = more->right;
      both->isLesser = llvm::ICmpInst::isLT(both->predicate) || llvm::ICmpInst::isLE(both->predicate);
      both->isUnused = true;
      return both;
    }
    return comparisonWith(*branch.getCondition());
  }

  /// The comparison with a counter on its left, if one of its operands is a phi.
  static std::optional<Comparison> comparisonWith(const Value& condition) {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    if (compare == nullptr) return std::nullopt;
    const llvm::Type* type = compare->getOperand(0)->getType();
    if (!type->isPointerTy() && !(type->isIntegerTy() && type->getIntegerBitWidth() <= 64)) return std::nullopt;
    Comparison result{compare->getPredicate(), compare->getOperand(0), compare->getOperand(1)};
    if (!llvm::isa<llvm::PHINode>(result.left) && llvm::isa<llvm::PHINode>(result.right))
      result = {llvm::ICmpInst::getSwappedPredicate(result.predicate), result.right, result.left};
    if (const auto* choice = llvm::dyn_cast<llvm::MinMaxIntrinsic>(result.right);
        choice != nullptr && choice->isSigned() == result.isSigned()) {
      result.right = choice->getLHS();
      result.other = choice->getRHS();
      result.isLesser = llvm::ICmpInst::isLT(choice->getPredicate());
    }
    return result;
  }

  /// An equation `distances = rest`.
  struct Sides {
    Polynomial distances, rest;
    bool isUniform = true; ///< the rest
  };

  /// A condition on uniform values that is equivalent to the comparison; null if there is none. Of two bounds, one has
  /// a uniform distance: VoteOnBoundsPass looks for such choices.
  Value* compareDistances(const Comparison& comparison, llvm::BranchInst& branch) {
    if (Value* exact = compareExactly(comparison, branch)) return exact;
    return isLast_ && !comparison.hasAddresses() ? compareModulo(comparison, branch) : nullptr;
  }

  /// The difference of two values, split into distances and the negated rest; nothing if the rest is not known before
  /// the loop.
  std::optional<Sides> difference(Value* left, Value* right, Reading reading) {
    auto difference = polynomialOf(*left, loop_, reading);
    const auto bound = polynomialOf(*right, loop_, reading);
    if (!difference || !bound || !difference->add(*bound, -1)) return std::nullopt;
    if (reading != Reading::Modular && !fits(*difference, *left->getType())) return std::nullopt;
    Sides sides;
    for (const auto& [product, coefficient] : difference->terms()) {
      const bool isDistance =
          product.size() == 1 && product.front().isDistance && (coefficient == 1 || coefficient == -1);
      if (!isDistance && !llvm::all_of(product, [&](const Factor& factor) { return isKnown(factor); }))
        return std::nullopt;
      sides.isUniform = sides.isUniform &&
                        (isDistance || llvm::all_of(product, [&](const Factor& factor) { return isUniform(factor); }));
      Polynomial& side = isDistance ? sides.distances : sides.rest;
      if (!side.add(Polynomial::of(product, coefficient), isDistance ? 1 : -1)) return std::nullopt;
    }
    if (sides.distances.terms().empty()) return std::nullopt;
    return sides;
  }

  /// compareDistances for computations that do not wrap around.
  Value* compareExactly(const Comparison& comparison, llvm::BranchInst& branch) {
    const Reading reading = comparison.isSigned() ? Reading::Signed : Reading::Unsigned;
    const auto sides = difference(comparison.left, comparison.right, reading);
    if (!sides) return nullptr;
    llvm::IRBuilder<> before(loop_.getLoopPreheader()->getTerminator()), here(&branch);
    llvm::Type* type = here.getInt64Ty();
    Value* end = nullptr;
    if (comparison.other == nullptr) {
      if (!sides->isUniform) return nullptr;
      end = write(sides->rest, type, before);
    } else {
      const auto other = difference(comparison.left, comparison.other, reading);
      if (!other || !(sides->isUniform || other->isUniform) || sides->distances.terms() != other->distances.terms())
        return nullptr;
      Value* more = write(other->rest, type, before);
      end = before.CreateBinaryIntrinsic(comparison.isLesser ? llvm::Intrinsic::smin : llvm::Intrinsic::smax,
                                         write(sides->rest, type, before),
                                         comparison.isUnused ? before.CreateFreeze(more) : more);
    }
    return here.CreateICmp(llvm::ICmpInst::getSignedPredicate(comparison.predicate),
                           write(sides->distances, type, here), end);
  }

  /// compareDistances for computations that may wrap around. The loop `while (k < e) ++k`, with k = s at first, runs
  /// e - s iterations (modulo 2^n) if s < e, and otherwise none. The comparison has a form that uniform versioning
  /// recognises.
  Value* compareModulo(const Comparison& comparison, llvm::BranchInst& branch) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(comparison.left);
    if (phi == nullptr || loop_.contains(branch.getSuccessor(1)) || branch.getParent() != loop_.getHeader())
      return nullptr;
    const auto counter = counterOf(*phi, loop_, Reading::Modular);
    if (!counter || counter->step != 1) return nullptr;
    Value *right = comparison.right, *other = comparison.other;
    std::optional<Sides> sides = uniformRounds(*phi, right);
    // A bound that may be poison is frozen below, so the number of iterations may not be that to it.
    if (!sides && other != nullptr && !comparison.isUnused) {
      std::swap(right, other);
      sides = uniformRounds(*phi, right);
    }
    if (!sides) return nullptr;
    llvm::Type* type = phi->getType();
    llvm::Constant* none = llvm::Constant::getNullValue(type);
    llvm::IRBuilder<> before(loop_.getLoopPreheader()->getTerminator()), here(&branch);
    if (other == nullptr && comparison.predicate == llvm::ICmpInst::ICMP_NE)
      return here.CreateICmpNE(distanceOf(*phi, type), write(sides->rest, type, before));
    if (comparison.predicate != llvm::ICmpInst::ICMP_ULT) return nullptr;
    if (other != nullptr && (!comparison.isLesser || !isKnown(right) || !isKnown(other))) return nullptr;
    Value *start = counter->start, *rounds = write(sides->rest, type, before), *rest = none;
    Value* hasAll = before.CreateICmpULT(start, before.CreateNeg(rounds));
    if (other != nullptr) {
      if (comparison.isUnused) other = before.CreateFreeze(other);
      Value* lesser = before.CreateBinaryIntrinsic(llvm::Intrinsic::umin, right, other);
      rest = before.CreateSelect(before.CreateICmpULT(start, lesser), before.CreateSub(lesser, start), none);
      hasAll = before.CreateAnd(hasAll, before.CreateICmpULE(right, other));
    }
    Value* end = before.CreateSelect(hasAll, rounds, rest);
    return here.CreateICmpULT(distanceOf(*phi, type), end);
  }

  /// The difference of a counter and a bound modulo 2^n, if it is uniform. The bound may contain other counters of the
  /// loop, or this one: then there is none.
  std::optional<Sides> uniformRounds(llvm::PHINode& phi, Value* bound) {
    auto sides = difference(&phi, bound, Reading::Modular);
    const auto own = Polynomial::of({Factor{&phi, Reading::Modular, /*isDistance=*/true}});
    return sides && sides->isUniform && sides->distances.terms() == own.terms() ? sides : std::nullopt;
  }

  /// Whether sums of the terms do not wrap around in 64 bits. Differences of 32-bit numbers and of addresses within one
  /// object do not.
  static bool fits(const Polynomial& difference, const llvm::Type& type) {
    if (type.isPointerTy() || type.getIntegerBitWidth() <= 32) return true;
    // The difference of two 64-bit numbers may need 65 bits, so the rest must be a single term, and not be negated.
    return llvm::count_if(difference.terms(),
                          [](const auto& term) {
                            const auto& [product, coefficient] = term;
                            return product.empty() || !product.front().isDistance;
                          }) <= 1 &&
           llvm::all_of(difference.terms(), [](const auto& term) {
             const auto& [product, coefficient] = term;
             if (product.empty()) return coefficient > -kLongest && coefficient < kLongest;
             const bool isSmall = coefficient == -1 || (coefficient == 1 && product.front().isDistance);
             return isSmall && product.size() == 1 && product.front().reading == Reading::Signed;
           });
  }
  static constexpr std::int64_t kLongest = std::int64_t{1} << 62;

  /// Whether the value is there before the loop.
  bool isKnown(const Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction == nullptr || (!loop_.contains(instruction) &&
                                      dominators_.dominates(instruction, loop_.getLoopPreheader()->getTerminator()));
  }
  bool isKnown(const Factor& factor) const {
    return !factor.isDistance && !factor.value->getType()->isPointerTy() && isKnown(factor.value);
  }
  bool isUniform(const Factor& factor) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(factor.value);
    return instruction == nullptr || uniformity_.isUniform(*instruction);
  }

  Value* write(const Polynomial& polynomial, llvm::Type* type, llvm::IRBuilder<>& builder) {
    Value* sum = nullptr;
    for (const auto& [product, coefficient] : inOrder(polynomial)) {
      Value* term = nullptr;
      for (const Factor& factor : product) {
        Value* value = factor.isDistance ? distanceOf(llvm::cast<llvm::PHINode>(*factor.value), type)
                                         : builder.CreateIntCast(factor.value, type, factor.reading == Reading::Signed);
        term = term == nullptr ? value : builder.CreateMul(term, value);
      }
      if (term == nullptr)
        term = llvm::ConstantInt::getSigned(type, coefficient, /*ImplicitTrunc=*/true);
      else if (coefficient != 1)
        term = builder.CreateMul(term, llvm::ConstantInt::getSigned(type, coefficient, /*ImplicitTrunc=*/true));
      sum = sum == nullptr ? term : builder.CreateAdd(sum, term);
    }
    return sum == nullptr ? llvm::ConstantInt::get(type, 0) : sum;
  }

  /// The terms and their factors in the function's order, which is the same in each build.
  std::vector<std::pair<Polynomial::Product, std::int64_t>> inOrder(const Polynomial& polynomial) const {
    llvm::DenseMap<const Value*, unsigned> numbers;
    const llvm::Function& function = *loop_.getHeader()->getParent();
    for (const llvm::Argument& argument : function.args())
      numbers.try_emplace(&argument, numbers.size());
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      numbers.try_emplace(&instruction, numbers.size());
    const auto before = [&](const Factor& a, const Factor& b) {
      return std::tuple(numbers.lookup(a.value), a.reading, a.isDistance) <
             std::tuple(numbers.lookup(b.value), b.reading, b.isDistance);
    };
    std::vector<std::pair<Polynomial::Product, std::int64_t>> terms(polynomial.terms().begin(),
                                                                    polynomial.terms().end());
    for (auto& [product, coefficient] : terms)
      llvm::sort(product, before);
    llvm::sort(terms, [&](const auto& a, const auto& b) {
      return std::lexicographical_compare(a.first.begin(), a.first.end(), b.first.begin(), b.first.end(), before);
    });
    return terms;
  }

  /// A new counter that starts at 0 and has the step of `phi`.
  llvm::PHINode* distanceOf(llvm::PHINode& phi, llvm::Type* type) {
    const auto step = counterOf(phi, loop_, Reading::Modular)->step;
    llvm::PHINode*& distance = distances_[{step, type}];
    if (distance != nullptr) return distance;
    llvm::IRBuilder<> builder(&phi);
    distance = builder.CreatePHI(type, 2, "distance");
    distance->addIncoming(llvm::Constant::getNullValue(type), loop_.getLoopPreheader());
    builder.SetInsertPoint(loop_.getLoopLatch()->getTerminator());
    distance->addIncoming(builder.CreateAdd(distance, llvm::ConstantInt::getSigned(type, step)), loop_.getLoopLatch());
    return distance;
  }

  llvm::Loop& loop_;
  const WorkItemUniformity& uniformity_;
  const llvm::DominatorTree& dominators_;
  const bool isLast_;
  std::map<std::pair<std::int64_t, llvm::Type*>, llvm::PHINode*> distances_;
};

} // namespace

llvm::PreservedAnalyses UniformBoundsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  // Arguments of other functions may differ between work-items.
  if (loops.empty() || !isKernel(function)) return llvm::PreservedAnalyses::all();
  const auto& uniformity = analyses.getResult<SubGroupUniformityAnalysis>(function);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    changed |= LoopBounds(*loop, uniformity, dominators, isLast_).run();
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
