// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/exact_sums.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cmath>

namespace clotho::compiler {
namespace {

using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;

/// The instruction adds at least this much exactly, 2^-100. Where such a number and a normal one almost cancel out,
/// both are multiples of 2^-126, the least normal number, and so is their sum. A denormal is too small to change it,
/// and so may be taken for zero.
const float kLeastExact = std::ldexp(1.0F, -100);

bool isExact(const AtomicRMWInst& change) {
  if (!change.getType()->isFloatTy() || change.getPointerAddressSpace() == kLocalSpace) return true;
  if (change.getOperation() != AtomicRMWInst::FAdd && change.getOperation() != AtomicRMWInst::FSub) return true;
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(change.getValOperand());
  return constant != nullptr && !(std::fabs(constant->getValueAPF().convertToFloat()) < kLeastExact);
}

/// Adds in the block by a loop that exchanges, and goes to `after`. Returns what was there before.
Value* addInLoop(AtomicRMWInst& change, BasicBlock* block, BasicBlock* after) {
  llvm::IRBuilder<> builder(block);
  Value* pointer = change.getPointerOperand();
  llvm::LoadInst* first = builder.CreateAlignedLoad(change.getType(), pointer, change.getAlign(), change.isVolatile());
  first->setAtomic(llvm::AtomicOrdering::Monotonic, change.getSyncScopeID());
  auto* loop = BasicBlock::Create(block->getContext(), "atomic.sum", block->getParent(), after);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* old = builder.CreatePHI(change.getType(), 2);
  Value* sum = change.getOperation() == AtomicRMWInst::FAdd ? builder.CreateFAdd(old, change.getValOperand())
                                                            : builder.CreateFSub(old, change.getValOperand());
  llvm::Type* bits = builder.getInt32Ty();
  AtomicCmpXchgInst* exchange = builder.CreateAtomicCmpXchg(
      pointer, builder.CreateBitCast(old, bits), builder.CreateBitCast(sum, bits), change.getAlign(),
      change.getOrdering(), AtomicCmpXchgInst::getStrongestFailureOrdering(change.getOrdering()),
      change.getSyncScopeID());
  exchange->setVolatile(change.isVolatile());
  Value* found = builder.CreateBitCast(builder.CreateExtractValue(exchange, 0), change.getType());
  builder.CreateCondBr(builder.CreateExtractValue(exchange, 1), after, loop);
  old->addIncoming(first, block);
  old->addIncoming(found, loop);
  return old;
}

void keepDenormals(AtomicRMWInst& change) {
  llvm::IRBuilder<> builder(&change);
  Value* magnitude = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, change.getValOperand());
  Value* isSmall = builder.CreateFCmpOLT(magnitude, llvm::ConstantFP::get(change.getType(), kLeastExact));
  llvm::Instruction *small = nullptr, *large = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(isSmall, &change, &small, &large);
  BasicBlock* after = change.getParent();
  change.moveBefore(large->getIterator());
  llvm::PHINode* result = nullptr;
  if (!change.use_empty()) {
    builder.SetInsertPoint(after, after->begin());
    result = builder.CreatePHI(change.getType(), 2);
    change.replaceAllUsesWith(result);
    result->addIncoming(&change, large->getParent());
  }
  BasicBlock* block = small->getParent();
  small->eraseFromParent();
  Value* old = addInLoop(change, block, after);
  if (result != nullptr) result->addIncoming(old, llvm::cast<llvm::PHINode>(old)->getParent());
}

} // namespace

llvm::PreservedAnalyses ExactSumsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (function.getDenormalMode(llvm::APFloat::IEEEsingle()).Output == llvm::DenormalMode::PreserveSign)
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<AtomicRMWInst*, 8> changes;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* change = llvm::dyn_cast<AtomicRMWInst>(&instruction); change != nullptr && !isExact(*change))
      changes.push_back(change);
  for (AtomicRMWInst* change : changes)
    keepDenormals(*change);
  return changes.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
