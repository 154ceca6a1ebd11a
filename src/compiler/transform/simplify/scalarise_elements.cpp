// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/scalarise_elements.hpp"

#include "compiler/ir/kernels.hpp"
#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

unsigned elementsOf(const Value& value) { return llvm::cast<llvm::FixedVectorType>(value.getType())->getNumElements(); }

class ElementScalariser {
 public:
  explicit ElementScalariser(llvm::Function& kernel) : kernel_(kernel) {}

  /// Splits vectors carried around loops, which compilers make of scalars.
  bool runOnLoops(const llvm::LoopInfo& loops) {
    const auto takeOneApart = [&] {
      for (const llvm::Loop* loop : loops.getLoopsInPreorder())
        for (llvm::PHINode& phi : loop->getHeader()->phis())
          if (llvm::isa<llvm::FixedVectorType>(phi.getType()) && findWeb(phi, *loop)) return takeApart(), true;
      return false;
    };
    bool changed = false;
    while (takeOneApart())
      changed = true;
    return changed;
  }

  bool run() {
    llvm::SmallVector<llvm::WeakVH, 16> roots;
    for (Instruction& instruction : llvm::instructions(kernel_))
      if (isElement(instruction) || vectorOfTruth(instruction) != nullptr) roots.emplace_back(&instruction);
    // Integers come first: their scalars may serve other elements, too.
    for (const bool areIntegers : {true, false})
      for (const llvm::WeakVH& root : roots)
        if (root != nullptr && root->getType()->isIntegerTy() == areIntegers)
          replace(*llvm::cast<Instruction>(static_cast<Value*>(root)));
    for (const llvm::WeakVH& vector : replaced_)
      if (vector != nullptr) llvm::RecursivelyDeleteTriviallyDeadInstructions(vector);
    return !replaced_.empty();
  }

 private:
  using Element = std::pair<Value*, unsigned>; ///< a vector and the index of an element

  static bool isElement(const Instruction& instruction) {
    const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction);
    const auto* index = extract == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    return index != nullptr && llvm::isa<llvm::FixedVectorType>(extract->getVectorOperandType()) &&
           index->getValue().ult(elementsOf(*extract->getVectorOperand()));
  }

  /// Finds all vectors connected with the phi by operands and uses, if they consist of scalars, some of them inserted
  /// in each iteration of the loop, and only their elements are used.
  bool findWeb(llvm::PHINode& phi, const llvm::Loop& loop) {
    constexpr std::size_t kMostVectors = 64;
    web_.clear();
    bool isMadeInLoop = false;
    llvm::SmallVector<Value*, 16> work = {&phi};
    while (!work.empty()) {
      Value* value = work.pop_back_val();
      if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
        if (constant->getAggregateElement(0U) == nullptr) return false; // It is a constant expression.
        continue;
      }
      auto* vector = llvm::dyn_cast<Instruction>(value);
      if (vector == nullptr || web_.size() == kMostVectors) return false;
      if (isElement(*vector)) continue;
      if (!llvm::isa<llvm::FixedVectorType>(vector->getType())) return false;
      if (!web_.insert(vector)) continue;
      const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(vector);
      if (insert != nullptr && !llvm::isa<llvm::ConstantInt>(insert->getOperand(2))) return false;
      if (insert == nullptr && !llvm::isa<llvm::PHINode, llvm::ShuffleVectorInst>(vector) && !isByElement(*vector))
        return false;
      isMadeInLoop |= insert != nullptr && loop.contains(insert) && !llvm::isa<llvm::Constant>(insert->getOperand(1));
      for (Value* operand : operandsOf(*vector))
        if (operand->getType()->isVectorTy()) work.push_back(operand);
      work.append(vector->user_begin(), vector->user_end());
    }
    return isMadeInLoop;
  }

  void takeApart() {
    llvm::SmallVector<llvm::PHINode*, 4> phis;
    for (Instruction* vector : web_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(vector)) phis.push_back(phi);
    for (llvm::PHINode* phi : phis)
      for (unsigned i = 0; i < elementsOf(*phi); ++i)
        computed_[{phi, i}] = llvm::PHINode::Create(phi->getType()->getScalarType(), phi->getNumIncomingValues(),
                                                    phi->getName(), phi->getIterator());
    for (llvm::PHINode* phi : phis)
      for (unsigned i = 0; i < elementsOf(*phi); ++i)
        for (const auto& [from, value] : llvm::zip_equal(phi->blocks(), phi->incoming_values()))
          llvm::cast<llvm::PHINode>(computed_[{phi, i}])->addIncoming(compute({value, i}), from);
    for (Instruction* vector : web_)
      for (llvm::User* user : llvm::make_early_inc_range(vector->users()))
        if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(user)) {
          const auto* index = llvm::cast<llvm::ConstantInt>(extract->getIndexOperand());
          extract->replaceAllUsesWith(compute({vector, static_cast<unsigned>(index->getZExtValue())}));
          extract->eraseFromParent();
        }
    computed_.clear();
    for (Instruction* vector : web_)
      vector->replaceAllUsesWith(llvm::PoisonValue::get(vector->getType()));
    for (Instruction* vector : web_)
      vector->eraseFromParent();
  }

  /// The vector whose elements the comparison combines by `any` or `all`; null for other instructions.
  static Value* vectorOfTruth(Instruction& instruction) {
    using namespace llvm::PatternMatch;
    llvm::CmpPredicate predicate;
    Value* vector = nullptr;
    const llvm::APInt* bits = nullptr;
    if (!instruction.getType()->isIntegerTy(1) ||
        !match(&instruction, m_ICmp(predicate, m_BitCast(m_Value(vector)), m_APInt(bits))) ||
        !llvm::ICmpInst::isEquality(predicate) || !(bits->isZero() || bits->isAllOnes()))
      return nullptr;
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
    return type != nullptr && type->getElementType()->isIntegerTy(1) ? vector : nullptr;
  }

  /// Whether the element can be computed from scalars, uniform vectors or constants by a few operations.
  bool canCompute(Element element, unsigned depth = 0) {
    constexpr unsigned kDepthLimit = 10, kMostValues = 64;
    auto [vector, number] = element;
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(vector))
      return constant->getAggregateElement(number) != nullptr; // Constant expressions have none.
    if (llvm::isa<llvm::Argument>(vector)) return true;
    if (computed_.contains(element)) return true;
    auto* instruction = llvm::dyn_cast<Instruction>(vector);
    if (instruction == nullptr || depth > kDepthLimit || ++looked_ > kMostValues) return false;
    if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(instruction)) {
      const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
      if (index == nullptr) return false;
      return index->equalsInt(number) || canCompute({insert->getOperand(0), number}, depth);
    }
    if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(instruction)) {
      const auto source = sourceOf(*shuffle, number);
      return !source || canCompute(*source, depth);
    }
    return isByElement(*instruction) && llvm::all_of(operandsOf(*instruction), [&](Value* operand) {
             return !operand->getType()->isVectorTy() || canCompute({operand, number}, depth + 1);
           });
  }

  static bool isByElement(const Instruction& instruction) {
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
      return llvm::isa<llvm::FixedVectorType>(cast->getSrcTy()) && cast->getSrcTy()->getScalarType()->isSized() &&
             elementsOf(*cast->getOperand(0)) == elementsOf(*cast);
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      return llvm::isTriviallyVectorizable(call->getIntrinsicID()) && !call->mayReadOrWriteMemory();
    // Two freezes of one value may give different results.
    if (llvm::isa<llvm::FreezeInst>(instruction))
      return llvm::isGuaranteedNotToBeUndefOrPoison(instruction.getOperand(0));
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst>(instruction);
  }

  static llvm::iterator_range<llvm::User::op_iterator> operandsOf(Instruction& instruction) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call != nullptr ? call->args() : instruction.operands();
  }

  /// The element from which the shuffle takes one; nothing if it is poison.
  static std::optional<Element> sourceOf(const llvm::ShuffleVectorInst& shuffle, unsigned number) {
    const int from = shuffle.getMaskValue(number);
    if (from < 0) return std::nullopt;
    const unsigned count = elementsOf(*shuffle.getOperand(0)), at = static_cast<unsigned>(from);
    return at < count ? Element{shuffle.getOperand(0), at} : Element{shuffle.getOperand(1), at - count};
  }

  Value* compute(Element element) {
    auto [vector, number] = element;
    if (const auto found = computed_.find(element); found != computed_.end()) return found->second;
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(vector)) return constant->getAggregateElement(number);
    Value* result = nullptr;
    if (llvm::isa<llvm::Argument>(vector)) {
      llvm::BasicBlock& entry = kernel_.getEntryBlock();
      result = llvm::IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateExtractElement(vector, number);
    } else if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
      const bool isIt = llvm::cast<llvm::ConstantInt>(insert->getOperand(2))->equalsInt(number);
      result = isIt ? insert->getOperand(1) : compute({insert->getOperand(0), number});
    } else if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(vector)) {
      const auto source = sourceOf(*shuffle, number);
      result = source ? compute(*source) : llvm::PoisonValue::get(vector->getType()->getScalarType());
    } else {
      result = computeOne(*llvm::cast<Instruction>(vector), number);
    }
    return computed_[element] = result;
  }

  Value* computeOne(Instruction& instruction, unsigned number) {
    llvm::SmallVector<Value*, 4> operands;
    for (Value* operand : operandsOf(instruction))
      operands.push_back(operand->getType()->isVectorTy() ? compute({operand, number}) : operand);
    llvm::IRBuilder<> builder(&instruction);
    llvm::Type* type = instruction.getType()->getScalarType();
    Value* result = nullptr;
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      llvm::SmallVector<llvm::Type*, 2> overloads;
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(call->getIntrinsicID(), -1, nullptr)) overloads.push_back(type);
      for (const auto& [i, operand] : llvm::enumerate(operands))
        if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(call->getIntrinsicID(), static_cast<int>(i), nullptr))
          overloads.push_back(operand->getType());
      result = builder.CreateIntrinsic(call->getIntrinsicID(), overloads, operands);
    } else if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
      result = builder.CreateCast(cast->getOpcode(), operands[0], type);
    } else if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
      result = builder.CreateCmp(comparison->getPredicate(), operands[0], operands[1]);
    } else if (llvm::isa<llvm::SelectInst>(instruction)) {
      result = builder.CreateSelect(operands[0], operands[1], operands[2]);
    } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
      result = builder.CreateFreeze(operands[0]);
    } else {
      result = builder.CreateNAryOp(instruction.getOpcode(), operands);
    }
    if (auto* made = llvm::dyn_cast<Instruction>(result); made != nullptr && !llvm::is_contained(operands, result))
      made->copyIRFlags(&instruction);
    return result;
  }

  void replace(Instruction& root) {
    llvm::SmallVector<Element, 16> elements;
    Value* vector = vectorOfTruth(root);
    if (vector != nullptr) {
      for (unsigned i = 0; i < elementsOf(*vector); ++i)
        elements.push_back({vector, i});
    } else {
      vector = root.getOperand(0);
      elements.push_back(
          {vector, static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(root.getOperand(1))->getZExtValue())});
    }
    // Other types only if the scalar operations replace those on vectors.
    if (!root.getType()->isIntegerTy() && !isMadeOfComputed(vector, elements.front().second)) return;
    looked_ = 0;
    if (!llvm::isa<Instruction>(vector) || !llvm::all_of(elements, [&](Element each) { return canCompute(each); }))
      return;
    Value* result = compute(elements.front());
    if (vectorOfTruth(root) != nullptr) {
      auto& comparison = llvm::cast<llvm::ICmpInst>(root);
      const bool ofAll = llvm::cast<llvm::Constant>(comparison.getOperand(1))->isAllOnesValue();
      llvm::IRBuilder<> builder(&root);
      for (const Element& each : llvm::drop_begin(elements))
        result = ofAll ? builder.CreateAnd(result, compute(each)) : builder.CreateOr(result, compute(each));
      const bool isNegated = (comparison.getPredicate() == llvm::ICmpInst::ICMP_NE) == ofAll;
      if (isNegated) result = builder.CreateNot(result);
    }
    replaced_.emplace_back(&root);
    root.replaceAllUsesWith(result);
  }

  bool isMadeOfComputed(Value* vector, unsigned number, unsigned depth = 0) const {
    constexpr unsigned kDepthLimit = 3;
    if (computed_.contains({vector, number})) return true;
    auto* instruction = llvm::dyn_cast<Instruction>(vector);
    return instruction != nullptr && depth < kDepthLimit && isByElement(*instruction) &&
           llvm::any_of(
               operandsOf(*instruction),
               [&](Value* operand) {
                 return operand->getType()->isVectorTy() && isMadeOfComputed(operand, number, depth + 1);
               });
  }

  llvm::Function& kernel_;
  std::map<Element, Value*> computed_;
  llvm::SetVector<Instruction*> web_;
  unsigned looked_ = 0; ///< number of values visited for one root
  llvm::SmallVector<llvm::WeakVH, 16> replaced_;
};

} // namespace

llvm::PreservedAnalyses ScalariseElementsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || function.isDeclaration()) return llvm::PreservedAnalyses::all();
  bool changed = ElementScalariser(function).runOnLoops(analyses.getResult<llvm::LoopAnalysis>(function));
  changed |= ElementScalariser(function).run();
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
