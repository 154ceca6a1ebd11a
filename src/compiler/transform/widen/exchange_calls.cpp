// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/exchange_calls.hpp"

#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/ir/copy_instruction.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/run_pass.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/AtomicOrdering.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;

/// Longer loops compute so much that vectorising pays although lanes may fail together.
constexpr unsigned kMostInstructions = 48;

/// Whether the pointer may be to private memory, of which each lane has a copy elsewhere.
bool mayBePrivate(const Value* pointer) {
  constexpr unsigned kPrivateSpace = 0;
  const Value* memory = llvm::getUnderlyingObject(pointer);
  return llvm::isa<llvm::AllocaInst>(memory) || memory->getType()->getPointerAddressSpace() == kPrivateSpace;
}

/// Whether the instruction can be outlined unchanged.
bool canMove(const Instruction& instruction) {
  if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.getType()->isVectorTy()) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    return intrinsic != nullptr && llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID());
  }
  return llvm::all_of(instruction.operands(), [](const Value* operand) {
    return !operand->getType()->isPointerTy() || !mayBePrivate(operand);
  });
}

bool canMove(const llvm::Loop& loop) {
  if (!loop.isLoopSimplifyForm() || !loop.isInnermost() || loop.getUniqueExitBlock() == nullptr) return false;
  unsigned count = 0;
  bool exchanges = false;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (!canMove(instruction)) return false;
      exchanges = exchanges || llvm::isa<llvm::AtomicCmpXchgInst, llvm::AtomicRMWInst>(instruction);
      ++count;
    }
  return exchanges && count <= kMostInstructions;
}

/// The value in the first iteration, computed before the loop; null if it depends on the loop.
Value* inFirstIteration(Value* value, const llvm::Loop& loop, llvm::IRBuilderBase& builder, unsigned depth = 0) {
  constexpr unsigned kMostSteps = 8;
  auto* made = llvm::dyn_cast<Instruction>(value);
  if (made == nullptr || !loop.contains(made)) return value;
  if (auto* phi = llvm::dyn_cast<PHINode>(made))
    return phi->getParent() == loop.getHeader() ? phi->getIncomingValueForBlock(loop.getLoopPreheader()) : nullptr;
  if (depth > kMostSteps || made->mayReadOrWriteMemory() || llvm::isa<llvm::CallInst>(made)) return nullptr;
  // The first iteration need not reach a division, whose divisor may be zero then.
  if (made->getParent() != loop.getHeader() && !llvm::isSafeToSpeculativelyExecute(made)) return nullptr;
  Instruction* copy = copyInstruction(
      builder, *made, [&](Value* operand) { return inFirstIteration(operand, loop, builder, depth + 1); });
  // The instruction may not run in the first iteration, so poison-generating flags are dropped.
  if (copy != nullptr) copy->dropPoisonGeneratingFlags();
  return copy;
}

/// Prefetches the address of the first exchange, if the loop searches from address to address; other loops have loaded
/// their value before.
void prefetchFirst(const llvm::Loop& loop) {
  llvm::IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  constexpr unsigned kLocalSpace = 3;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block)
      if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
          exchange != nullptr && exchange->getPointerAddressSpace() != kLocalSpace &&
          !loop.isLoopInvariant(exchange->getPointerOperand()))
        if (Value* pointer = inFirstIteration(exchange->getPointerOperand(), loop, builder)) {
          // Prefetches for a write, into all caches.
          builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                                  {pointer, builder.getInt32(1), builder.getInt32(3), builder.getInt32(1)});
          return;
        }
}

/// Loads before the loop that only provide its first expected value, from the last to the first. Inside the outlined
/// function they need no vector assembled lane by lane.
llvm::SmallVector<Instruction*, 2> looksBefore(const llvm::Loop& loop) {
  llvm::SmallVector<Instruction*, 2> looks;
  bool isAnyPassed = false;
  for (Instruction& instruction : llvm::drop_begin(llvm::reverse(*loop.getLoopPreheader()))) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const bool isLook = load != nullptr && !load->isSimple();
    const bool isForLoop = llvm::all_of(instruction.users(), [&](const llvm::User* user) {
      const auto* next = llvm::cast<Instruction>(user);
      return loop.contains(next) || llvm::is_contained(looks, next);
    });
    if ((isLook || llvm::isa<llvm::BitCastInst>(instruction)) && isForLoop && canMove(instruction)) {
      if (isLook && isAnyPassed && llvm::isStrongerThanMonotonic(load->getOrdering())) break;
      looks.push_back(&instruction);
    } else {
      const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::prefetch) continue;
      if (instruction.mayWriteToMemory()) break;
      isAnyPassed = isAnyPassed || instruction.mayReadFromMemory();
    }
  }
  return looks;
}

/// Outlines the loop: its function takes the values used from outside and returns a structure of those used after it.
void moveOut(const llvm::Loop& loop) {
  BasicBlock *before = loop.getLoopPreheader(), *after = loop.getUniqueExitBlock();
  llvm::Function& kernel = *before->getParent();
  Instruction* begin = before->getTerminator();
  for (Instruction* look : looksBefore(loop)) {
    look->moveBefore(begin->getIterator());
    begin = look;
  }
  BasicBlock* entry = before->splitBasicBlock(begin, "entry");
  llvm::SmallVector<BasicBlock*, 8> blocks = {entry};
  blocks.append(loop.block_begin(), loop.block_end());
  const auto isInside = [&](const Instruction* instruction) {
    return instruction->getParent() == entry || loop.contains(instruction);
  };
  llvm::LLVMContext& context = kernel.getContext();
  llvm::SmallSetVector<Value*, 8> inputs;
  llvm::DebugLoc line;
  for (BasicBlock* block : blocks)
    for (Instruction& instruction : *block) {
      for (Value* operand : instruction.operands()) {
        const auto* made = llvm::dyn_cast<Instruction>(operand);
        if (llvm::isa<llvm::Argument>(operand) || (made != nullptr && !isInside(made))) inputs.insert(operand);
      }
      if (instruction.isAtomic() && instruction.mayWriteToMemory()) line = instruction.getDebugLoc();
      // Debug information belongs to the kernel.
      instruction.dropDbgRecords();
      instruction.setDebugLoc({});
    }
  llvm::SmallVector<PHINode*, 4> outputs;
  llvm::SmallVector<llvm::Type*, 4> outputTypes, inputTypes;
  for (PHINode& phi : after->phis()) {
    outputs.push_back(&phi);
    outputTypes.push_back(phi.getType());
  }
  for (const Value* input : inputs)
    inputTypes.push_back(input->getType());
  auto* type = llvm::FunctionType::get(llvm::StructType::get(context, outputTypes), inputTypes, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kernel.getName() + ".exchange",
                                          kernel.getParent());
  function->addFnAttr(kExchangeLoop);
  function->setDoesNotThrow();
  llvm::IRBuilder<> builder(before->getTerminator());
  builder.SetCurrentDebugLocation(line);
  llvm::CallInst* call = builder.CreateCall(function, inputs.getArrayRef());
  for (const auto& [i, phi] : llvm::enumerate(outputs))
    phi->replaceAllUsesWith(builder.CreateExtractValue(call, static_cast<unsigned>(i)));
  before->getTerminator()->replaceSuccessorWith(entry, after);
  // Moves the blocks to the function.
  BasicBlock* end = BasicBlock::Create(context, "end");
  for (BasicBlock* block : blocks) {
    block->removeFromParent();
    block->insertInto(function);
    block->getTerminator()->replaceSuccessorWith(after, end);
  }
  end->insertInto(function);
  for (PHINode* phi : outputs) {
    phi->moveBefore(*end, end->end());
    phi->setDebugLoc({});
  }
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation({});
  const llvm::SmallVector<Value*, 4> results(outputs.begin(), outputs.end());
  builder.CreateAggregateRet(results.data(), results.size());
  for (const auto& [input, argument] : llvm::zip(inputs, function->args()))
    input->replaceUsesWithIf(&argument, [&](const llvm::Use& use) {
      const auto* user = llvm::dyn_cast<Instruction>(use.getUser());
      return user != nullptr && user->getFunction() == function;
    });
}

} // namespace

bool callExchangeLoops(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  const auto find = [&]() -> const llvm::Loop* {
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(kernel);
    const auto ending =
        loopsThatEndAlone(loops, analyses.getResult<llvm::DominatorTreeAnalysis>(kernel), !usesSubGroups(kernel));
    for (const llvm::Loop* loop : ending)
      if (canMove(*loop)) return loop;
    return nullptr;
  };
  if (llvm::none_of(llvm::instructions(kernel), mayReadForOthers)) return false;
  runRequired(llvm::LoopSimplifyPass(), kernel, analyses);
  runRequired(llvm::LCSSAPass(), kernel, analyses);
  bool isAny = false;
  while (const llvm::Loop* loop = find()) {
    prefetchFirst(*loop);
    moveOut(*loop);
    analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
    isAny = true;
  }
  return isAny;
}

void inlineExchangeLoops(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.hasFnAttribute(kExchangeLoop)) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      // A scalar work-item would prefetch directly before its use.
      auto* before = llvm::dyn_cast_or_null<llvm::IntrinsicInst>(call->getPrevNode());
      if (before != nullptr && before->getIntrinsicID() == llvm::Intrinsic::prefetch) before->eraseFromParent();
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
    function.eraseFromParent();
  }
}

} // namespace clotho::compiler
