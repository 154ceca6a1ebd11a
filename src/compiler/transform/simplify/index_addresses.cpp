// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/index_addresses.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <limits>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::SCEV;
using llvm::Type;
using llvm::Value;

class AddressIndexer {
 public:
  AddressIndexer(llvm::Function& function, llvm::ScalarEvolution& evolution, const llvm::LoopInfo& loops)
      : function_(function), layout_(function.getDataLayout()), evolution_(evolution), loops_(loops),
        expander_(evolution, "index") {
    for (Instruction& instruction : llvm::instructions(function))
      if (Value* pointer = llvm::getLoadStorePointerOperand(&instruction); pointer != nullptr)
        collect(*pointer, llvm::getLoadStoreType(&instruction));
  }

  bool run() {
    if (variables_.empty() && steps_.empty()) return false;
    // Computes the SCEV of all integers, since the expander reuses only values that SCEV knows. InstCombine would turn
    // a second truncation into shifts.
    for (Instruction& instruction : llvm::instructions(function_))
      if (instruction.getType()->isIntegerTy()) evolution_.getSCEV(&instruction);
    bool changed = false;
    llvm::SmallVector<llvm::PHINode*, 8> hidden;
    for (const auto& [variable, element] : variables_)
      if (isHidden(*variable)) hidden.push_back(variable);
    for (llvm::PHINode* variable : hidden)
      changed |= indexVariable(*variable, variables_.lookup(variable));
    for (const auto& [step, element] : steps_)
      changed |= indexStep(*step, element);
    return changed;
  }

 private:
  /// Collects the loop variables and byte steps by which the address of an element is computed.
  void collect(Value& address, Type* element) {
    if (!address.getType()->isPointerTy()) return;
    if (layout_.getTypeStoreSize(element) != layout_.getTypeAllocSize(element)) element = element->getScalarType();
    llvm::SmallVector<Value*, 8> work = {&address};
    llvm::SmallPtrSet<Value*, 8> seen;
    while (!work.empty()) {
      Value* pointer = work.pop_back_val();
      if (!seen.insert(pointer).second) continue;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer); phi != nullptr && loops_.isLoopHeader(phi->getParent())) {
        variables_.try_emplace(phi, element);
        work.append(phi->value_op_begin(), phi->value_op_end());
      } else if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer)) {
        if (countsBytes(*step) && layout_.getTypeAllocSize(element) > 1) steps_.try_emplace(step, element);
        work.push_back(step->getPointerOperand());
      }
    }
  }

  static bool countsBytes(const llvm::GetElementPtrInst& step) {
    return step.getSourceElementType()->isIntegerTy(8) && !step.hasAllConstantIndices();
  }

  /// Whether this variable, or another one of the same loop, steps in bytes, by a constant number of elements or along
  /// a private array. Other variables are as in the source.
  bool isHidden(llvm::PHINode& variable) {
    const llvm::Loop* loop = loops_.getLoopFor(variable.getParent());
    return llvm::any_of(variable.getParent()->phis(), [&](llvm::PHINode& beside) {
      if (!variables_.contains(&beside)) return false;
      const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(evolution_.getSCEV(&beside)));
      return (base != nullptr && llvm::isa<llvm::AllocaInst>(base->getValue())) ||
             llvm::any_of(beside.blocks(), [&](const BasicBlock* from) {
               const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(beside.getIncomingValueForBlock(from));
               return loop->contains(from) && step != nullptr &&
                      (countsBytes(*step) || skipsElements(*step, variables_.lookup(&beside)));
             });
    });
  }

  /// Whether the step is a constant number of elements other than one.
  bool skipsElements(const llvm::GetElementPtrInst& step, Type* element) const {
    llvm::APInt bytes(layout_.getIndexTypeSizeInBits(step.getType()), 0);
    return step.accumulateConstantOffset(layout_, bytes) && bytes.abs() != layout_.getTypeAllocSize(element);
  }

  /// Splits the variable into the pointer before the loop and an index that grows. Properties of the pointer are
  /// preserved.
  bool indexVariable(llvm::PHINode& variable, Type* element) {
    const llvm::Loop* loop = loops_.getLoopFor(variable.getParent());
    const BasicBlock* before = loop->getLoopPredecessor();
    const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(&variable));
    if (before == nullptr || recurrence == nullptr || !recurrence->isAffine() || recurrence->getLoop() != loop)
      return false;
    // An index into a private array is counted from the array's beginning.
    const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(recurrence));
    const bool isOfArray = base != nullptr && llvm::isa<llvm::AllocaInst>(base->getValue());
    const SCEV* bytes =
        evolution_.getMinusSCEV(recurrence, isOfArray ? static_cast<const SCEV*>(base) : recurrence->getStart());
    const SCEV* index =
        llvm::isa<llvm::SCEVCouldNotCompute>(bytes) ? nullptr : quotient(bytes, layout_.getTypeAllocSize(element));
    if (index == nullptr || !expander_.isSafeToExpand(index)) return false;
    Value* start = isOfArray ? base->getValue() : variable.getIncomingValueForBlock(before);
    const auto where = variable.getParent()->getFirstInsertionPt();
    Value* number = expander_.expandCodeFor(index, index->getType(), where);
    llvm::IRBuilder<> builder(variable.getParent(), where);
    variable.replaceAllUsesWith(builder.CreateGEP(element, start, number));
    return true;
  }

  bool indexStep(llvm::GetElementPtrInst& step, Type* element) {
    using namespace llvm::PatternMatch;
    const std::uint64_t size = layout_.getTypeAllocSize(element);
    Value* number = nullptr;
    isExact_ = true;
    const SCEV* index = llvm::isPowerOf2_64(size) &&
                                match(step.getOperand(1), m_NSWShl(m_Value(number), m_SpecificInt(llvm::Log2_64(size))))
                            ? evolution_.getSCEV(number)
                            : quotient(evolution_.getSCEV(step.getOperand(1)), size);
    if (index == nullptr || !expander_.isSafeToExpand(index)) return false;
    // Neighbours such as p[-1] and p[1] share the part that is not constant.
    const llvm::APInt offset = constantIn(index);
    const SCEV* rest = evolution_.getMinusSCEV(index, evolution_.getConstant(offset));
    number = expander_.expandCodeFor(rest, rest->getType(), &step);
    llvm::IRBuilder<> builder(&step);
    // If the byte offset had wrapped around, it would differ from the index times the size.
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(size);
    const bool fits = isExact_ || (index->getType()->isIntegerTy(64) && evolution_.getSignedRangeMax(index).sle(most) &&
                                   evolution_.getSignedRangeMin(index).sge(-most));
    const bool isInBounds = step.isInBounds() && offset.isZero() && fits;
    Value* made = builder.CreateGEP(element, step.getPointerOperand(), number, step.getName(),
                                    isInBounds ? llvm::GEPNoWrapFlags::inBounds() : llvm::GEPNoWrapFlags::none());
    if (!offset.isZero()) made = builder.CreateGEP(element, made, builder.getInt(offset));
    step.replaceAllUsesWith(made);
    return true;
  }

  /// The sum divided by the constant; null if some term is not a multiple of it. Addresses have the same width, so
  /// overflow does not matter.
  const SCEV* quotient(const SCEV* sum, std::uint64_t divisor) {
    if (divisor == 1) return sum;
    if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(sum)) {
      const std::int64_t value = constant->getAPInt().getSExtValue(), by = static_cast<std::int64_t>(divisor);
      if (value % by != 0) return nullptr;
      return evolution_.getConstant(sum->getType(), static_cast<std::uint64_t>(value / by), /*isSigned=*/true);
    }
    if (const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(sum)) {
      if (!recurrence->isAffine()) return nullptr;
      isExact_ &= recurrence->hasNoSignedWrap();
      const SCEV* first = quotient(recurrence->getStart(), divisor);
      const SCEV* step = quotient(recurrence->getStepRecurrence(evolution_), divisor);
      if (first == nullptr || step == nullptr) return nullptr;
      return evolution_.getAddRecExpr(first, step, recurrence->getLoop(), SCEV::FlagAnyWrap);
    }
    if (const auto* terms = llvm::dyn_cast<llvm::SCEVAddExpr>(sum)) {
      isExact_ &= terms->hasNoSignedWrap();
      llvm::SmallVector<const SCEV*, 4> quotients;
      for (const SCEV* term : terms->operands()) {
        quotients.push_back(quotient(term, divisor));
        if (quotients.back() == nullptr) return nullptr;
      }
      return evolution_.getAddExpr(quotients);
    }
    if (const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(sum)) {
      isExact_ &= product->hasNoSignedWrap();
      llvm::SmallVector<const SCEV*, 4> factors(product->operands());
      const auto divided = llvm::find_if(factors, [&](const SCEV*& factor) {
        const SCEV* divided = quotient(factor, divisor);
        if (divided != nullptr) factor = divided;
        return divided != nullptr;
      });
      if (divided == factors.end()) return nullptr;
      return evolution_.getMulExpr(factors);
    }
    if (llvm::isa<llvm::SCEVSignExtendExpr, llvm::SCEVZeroExtendExpr>(sum))
      return quotientOfExtension(*llvm::cast<llvm::SCEVCastExpr>(sum), divisor);
    return nullptr;
  }

  /// The constant term of a sum, the same in all iterations.
  static llvm::APInt constantIn(const SCEV* sum) {
    if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(sum)) return constant->getAPInt();
    if (const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(sum)) return constantIn(recurrence->getStart());
    llvm::APInt result(sum->getType()->getIntegerBitWidth(), 0);
    if (const auto* terms = llvm::dyn_cast<llvm::SCEVAddExpr>(sum))
      for (const SCEV* term : terms->operands())
        result += constantIn(term);
    return result;
  }

  /// A number of n bits that is a multiple of 2^k is 2^k times one of n - k bits.
  const SCEV* quotientOfExtension(const llvm::SCEVCastExpr& extension, std::uint64_t divisor) {
    const SCEV* narrow = extension.getOperand();
    const unsigned bits = narrow->getType()->getIntegerBitWidth(), known = llvm::countr_zero(divisor);
    if (!llvm::isPowerOf2_64(divisor) || bits <= known) return nullptr;
    const SCEV* factor = quotient(narrow, divisor);
    if (factor == nullptr) return nullptr;
    factor = evolution_.getTruncateExpr(factor, Type::getIntNTy(narrow->getType()->getContext(), bits - known));
    return llvm::isa<llvm::SCEVSignExtendExpr>(extension) ? evolution_.getSignExtendExpr(factor, extension.getType())
                                                          : evolution_.getZeroExtendExpr(factor, extension.getType());
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  llvm::SCEVExpander expander_;
  bool isExact_ = true; ///< No part of the last dividend may wrap around.
  // Values with the type of the accessed elements.
  llvm::MapVector<llvm::PHINode*, Type*> variables_;
  llvm::MapVector<llvm::GetElementPtrInst*, Type*> steps_;
};

/// The first of a phi's values, if all are the same simple operation on values that are available at the phi; else
/// null.
const Instruction* commonOperation(const llvm::PHINode& phi, const llvm::DominatorTree& dominators) {
  const auto* first = llvm::dyn_cast<Instruction>(phi.getIncomingValue(0));
  if (first == nullptr || !llvm::isa<llvm::CastInst, llvm::BinaryOperator>(first) ||
      !llvm::isSafeToSpeculativelyExecute(first) || dominators.dominates(first, &phi))
    return nullptr;
  const auto isSame = [&](const Value* value) {
    const auto* operation = llvm::dyn_cast<Instruction>(value);
    return operation != nullptr && operation->isIdenticalToWhenDefined(first);
  };
  const auto isKnown = [&](const Value* operand) {
    const auto* instruction = llvm::dyn_cast<Instruction>(operand);
    return instruction == nullptr || dominators.dominates(instruction, &phi);
  };
  return llvm::all_of(phi.incoming_values(), isSame) && llvm::all_of(first->operand_values(), isKnown) ? first
                                                                                                       : nullptr;
}

/// Moves an index that all predecessors compute alike into the block, so that it is uniform among lanes from different
/// paths.
bool joinIndices(llvm::Function& function, const llvm::DominatorTree& dominators) {
  bool changed = false;
  for (BasicBlock& block : function)
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      const Instruction* operation = phi.getType()->isIntegerTy() ? commonOperation(phi, dominators) : nullptr;
      if (operation == nullptr) continue;
      Instruction* joined = operation->clone();
      for (const Value* value : phi.incoming_values())
        joined->andIRFlags(value);
      joined->insertBefore(block, block.getFirstInsertionPt());
      phi.replaceAllUsesWith(joined);
      phi.eraseFromParent();
      changed = true;
    }
  return changed;
}

} // namespace

llvm::PreservedAnalyses IndexAddressesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
  if (joinIndices(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function))) {
    preserved = llvm::PreservedAnalyses::none();
    preserved.preserveSet<llvm::CFGAnalyses>();
    analyses.invalidate(function, preserved);
  }
  AddressIndexer indexer(function, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                         analyses.getResult<llvm::LoopAnalysis>(function));
  if (!indexer.run()) return preserved;
  // Removes instructions that only the old addresses used.
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (instruction.getType()->isPointerTy() && llvm::isInstructionTriviallyDead(&instruction))
      instruction.eraseFromParent();
  // The pointer of an outer loop is the start of that of an inner one, so dead phis are removed repeatedly.
  for (bool again = true; again;) {
    again = false;
    for (llvm::BasicBlock& block : function)
      again |= llvm::DeleteDeadPHIs(&block);
  }
  preserved = llvm::PreservedAnalyses::none();
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
