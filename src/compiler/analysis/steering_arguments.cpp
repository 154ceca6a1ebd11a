// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/steering_arguments.hpp"

#include "compiler/compiler.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

bool isArithmetic(const Value& value) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&value))
    return call->getType()->isIntegerTy() && !call->mayReadOrWriteMemory();
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst, llvm::FreezeInst>(value);
}

/// Whether the value depends only on the kernel's arguments and the local size, not on ids, memory or loops.
bool isOfArgumentsAlone(const Value* value, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 8;
  if (llvm::isa<llvm::Constant, llvm::Argument>(value)) return true;
  if (const auto call = matchIntrinsic(value))
    return call->intrinsic == Intrinsic::LocalSize || call->intrinsic == Intrinsic::EnqueuedSize;
  return depth < kDepthLimit && isArithmetic(*value) &&
         llvm::all_of(
             llvm::cast<Instruction>(value)->operands(),
             [&](const Value* operand) {
               return llvm::isa<llvm::Function>(operand) || isOfArgumentsAlone(operand, depth + 1);
             });
}

/// The loop's header phi from which the value is computed with constants only; null if there is none.
const llvm::PHINode* counterOf(const Value* value, const llvm::Loop& loop) {
  constexpr unsigned kDepthLimit = 4;
  for (unsigned depth = 0; depth < kDepthLimit; ++depth) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      return phi->getParent() == loop.getHeader() ? phi : nullptr;
    if (!isArithmetic(*value)) return nullptr;
    const auto* instruction = llvm::cast<Instruction>(value);
    for (const Value* operand : llvm::drop_begin(instruction->operands()))
      if (!llvm::isa<llvm::Constant>(operand)) return nullptr;
    value = instruction->getOperand(0);
  }
  return nullptr;
}

class ValueFinder {
 public:
  ValueFinder(const llvm::Function& kernel, const llvm::LoopInfo& loops) {
    for (const llvm::Loop* loop : loops.getLoopsInPreorder())
      addLoop(*loop);
    for (const Instruction& instruction : llvm::instructions(kernel))
      if (instruction.isIntDivRem() && !isOfArgumentsAlone(instruction.getOperand(0)))
        steering_.insert(instruction.getOperand(1));
  }

  bool isWanted(const llvm::Argument& argument) const {
    constexpr unsigned kMostValues = 64;
    llvm::SmallSetVector<const Value*, 16> made;
    made.insert(&argument);
    for (unsigned i = 0; i < made.size() && i < kMostValues; ++i) {
      if (steering_.contains(made[i])) return true;
      for (const llvm::User* user : made[i]->users())
        if (isArithmetic(*user)) made.insert(user);
    }
    return false;
  }

 private:
  /// Adds the bound of the loop's induction variable, its start and its step.
  void addLoop(const llvm::Loop& loop) {
    const llvm::BasicBlock *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
    if (before == nullptr || latch == nullptr) return;
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    for (const llvm::BasicBlock* block : exiting) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      const auto* test = branch == nullptr ? nullptr : llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
      if (test == nullptr) continue;
      for (unsigned i = 0; i < 2; ++i) {
        const llvm::PHINode* counter = counterOf(test->getOperand(i), loop);
        if (counter == nullptr) continue;
        const Value *limit = test->getOperand(1 - i), *first = counter->getIncomingValueForBlock(before);
        if (!isOfArgumentsAlone(limit) || !isOfArgumentsAlone(first)) continue;
        steering_.insert(limit);
        steering_.insert(first);
        const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(counter->getIncomingValueForBlock(latch));
        if (next != nullptr && next->getOperand(0) == counter) steering_.insert(next->getOperand(1));
      }
    }
  }

  llvm::SmallPtrSet<const Value*, 16> steering_;
};

} // namespace

std::uint64_t steeringArguments(const llvm::Function& kernel, const llvm::LoopInfo& loops) {
  const ValueFinder finder(kernel, loops);
  std::uint64_t wanted = 0;
  unsigned count = 0;
  for (const llvm::Argument& argument : kernel.args()) {
    const auto* type = llvm::dyn_cast<llvm::IntegerType>(argument.getType());
    if (type == nullptr || !llvm::is_contained({8U, 16U, 32U, 64U}, type->getBitWidth()) || argument.getArgNo() >= 64 ||
        count == kMostWantedValues)
      continue;
    if (!finder.isWanted(argument)) continue;
    wanted |= std::uint64_t(1) << argument.getArgNo();
    ++count;
  }
  return wanted;
}

} // namespace clotho::compiler
