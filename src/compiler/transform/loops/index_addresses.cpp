// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/index_addresses.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::SCEV;
using llvm::Type;
using llvm::Value;

class AddressIndexer {
 public:
  AddressIndexer(llvm::Function& function, llvm::ScalarEvolution& evolution, const llvm::LoopInfo& loops,
                 const llvm::DominatorTree& dominators)
      : layout_(function.getDataLayout()), evolution_(evolution), loops_(loops), dominators_(dominators),
        expander_(evolution, "index") {}

  bool rewrite(Instruction& access) {
    Value* pointer = llvm::getLoadStorePointerOperand(&access);
    if (!pointer->getType()->isPointerTy()) return false;
    Type* element = llvm::getLoadStoreType(&access);
    if (layout_.getTypeStoreSize(element) != layout_.getTypeAllocSize(element)) element = element->getScalarType();
    if (!isHidden(pointer, layout_.getTypeAllocSize(element) > 1)) return false;
    const SCEV* address = evolution_.getSCEV(pointer);
    const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(address));
    if (base == nullptr || !isAvailable(*base->getValue(), access)) return false;
    const SCEV* index = quotient(evolution_.removePointerBase(address), layout_.getTypeAllocSize(element));
    if (index == nullptr || !expander_.isSafeToExpandAt(index, &access)) return false;
    Value* number = expander_.expandCodeFor(index, index->getType(), &access);
    llvm::IRBuilder<> builder(&access);
    Value* made = builder.CreateGEP(element, base->getValue(), number, pointer->getName());
    const bool isLoad = llvm::isa<llvm::LoadInst>(access);
    access.setOperand(isLoad ? llvm::LoadInst::getPointerOperandIndex() : llvm::StoreInst::getPointerOperandIndex(),
                      made);
    replaced_.emplace_back(pointer);
    return true;
  }

  /// What only the old addresses needed goes.
  void removeUnused() {
    for (const llvm::WeakTrackingVH& pointer : replaced_)
      if (pointer.pointsToAliveValue() && llvm::isa<Instruction>(pointer))
        llvm::RecursivelyDeleteTriviallyDeadInstructions(pointer);
  }

 private:
  /// Whether the address comes from a loop's variable, or counts bytes that are no elements.
  bool isHidden(const Value* pointer, bool areBytesParts) const {
    while (true) {
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) return loops_.isLoopHeader(phi->getParent());
      const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
      if (step == nullptr) return false;
      if (areBytesParts && step->getSourceElementType()->isIntegerTy(8) && !step->hasAllConstantIndices()) return true;
      pointer = step->getPointerOperand();
    }
  }

  bool isAvailable(const Value& value, const Instruction& where) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    return instruction == nullptr || dominators_.dominates(instruction, &where);
  }

  /// What has to be multiplied with a number for the sum; null if some term has no such factor. Addresses are numbers
  /// of so many bits, so that nothing has to be known of overflow.
  const SCEV* quotient(const SCEV* sum, std::uint64_t divisor) {
    if (divisor == 1) return sum;
    if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(sum)) {
      const std::int64_t value = constant->getAPInt().getSExtValue(), by = static_cast<std::int64_t>(divisor);
      if (value % by != 0) return nullptr;
      return evolution_.getConstant(sum->getType(), static_cast<std::uint64_t>(value / by), /*isSigned=*/true);
    }
    if (const auto* recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(sum)) {
      if (!recurrence->isAffine()) return nullptr;
      const SCEV* first = quotient(recurrence->getStart(), divisor);
      const SCEV* step = quotient(recurrence->getStepRecurrence(evolution_), divisor);
      if (first == nullptr || step == nullptr) return nullptr;
      return evolution_.getAddRecExpr(first, step, recurrence->getLoop(), SCEV::FlagAnyWrap);
    }
    if (const auto* terms = llvm::dyn_cast<llvm::SCEVAddExpr>(sum)) {
      llvm::SmallVector<const SCEV*, 4> quotients;
      for (const SCEV* term : terms->operands()) {
        quotients.push_back(quotient(term, divisor));
        if (quotients.back() == nullptr) return nullptr;
      }
      return evolution_.getAddExpr(quotients);
    }
    if (const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(sum)) {
      const SCEV* factor = quotient(product->getOperand(0), divisor); // a constant is the first one
      if (factor == nullptr) return nullptr;
      llvm::SmallVector<const SCEV*, 4> factors(product->operands());
      factors.front() = factor;
      return evolution_.getMulExpr(factors);
    }
    if (llvm::isa<llvm::SCEVSignExtendExpr, llvm::SCEVZeroExtendExpr>(sum))
      return quotientOfExtension(*llvm::cast<llvm::SCEVCastExpr>(sum), divisor);
    return nullptr;
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

  const llvm::DataLayout& layout_;
  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  llvm::SCEVExpander expander_;
  llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced_;
};

} // namespace

llvm::PreservedAnalyses IndexAddressesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  AddressIndexer indexer(function, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                         analyses.getResult<llvm::LoopAnalysis>(function),
                         analyses.getResult<llvm::DominatorTreeAnalysis>(function));
  llvm::SmallVector<Instruction*, 32> accesses;
  for (Instruction& instruction : llvm::instructions(function))
    if (llvm::getLoadStorePointerOperand(&instruction) != nullptr) accesses.push_back(&instruction);
  bool changed = false;
  for (Instruction* access : accesses)
    changed |= indexer.rewrite(*access);
  if (!changed) return llvm::PreservedAnalyses::all();
  indexer.removeUnused();
  for (llvm::BasicBlock& block : function)
    llvm::DeleteDeadPHIs(&block);
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
