// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_loops.hpp"

#include "compiler/ir/checks.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/transform/check/kept_functions.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// Iterations after which a loop asks; a power of two.
constexpr std::uint64_t kIterations = 1 << 20;

/// Whether the loop surely ends: a counter of constant step passes a bound that the loop does not change.
bool isBounded(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const llvm::BasicBlock* exiting = loop.getExitingBlock();
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (!loop.isLoopExiting(block) || (exiting == nullptr && block != loop.getHeader() && block != loop.getLoopLatch()))
      continue;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    const auto* test =
        branch != nullptr && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (test == nullptr) continue;
    for (const unsigned side : {0U, 1U}) {
      Value* bound = test->getOperand(1 - side);
      if (!evolution.isSCEVable(bound->getType()) || !evolution.isLoopInvariant(evolution.getSCEV(bound), &loop))
        continue;
      const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(test->getOperand(side)));
      if (counter == nullptr || counter->getLoop() != &loop || !counter->isAffine()) continue;
      const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(evolution));
      if (step == nullptr || step->getValue()->isZero()) continue;
      const bool isUp = !step->getAPInt().isNegative();
      const auto predicate = side == 0 ? test->getPredicate() : test->getSwappedPredicate();
      const bool staysInside = loop.contains(branch->getSuccessor(0));
      const auto stays = staysInside ? predicate : llvm::CmpInst::getInversePredicate(predicate);
      using Test = llvm::CmpInst;
      const bool isUnit = step->getAPInt().isOne() || step->getAPInt().isAllOnes();
      if (stays == Test::ICMP_NE && isUnit) return true;
      if (isUp && (stays == Test::ICMP_SLT || stays == Test::ICMP_ULT)) return true;
      // The counter never passes the largest or smallest number of its type.
      if (isUp && stays == Test::ICMP_SLE) return true;
      if (!isUp && (stays == Test::ICMP_SGT || stays == Test::ICMP_SGE || stays == Test::ICMP_UGT)) return true;
    }
  }
  return false;
}

/// Creates void clotho.check.loop(i1 asks, ptr launch, i64 iterations, ptr site, i64 x, i64 y, i64 z), which ends the
/// launch by a trap if the device wants it.
llvm::Function* askFunction(llvm::Module& module, Checker& checker) {
  const std::string name = (kFailedCheckPrefix + "loop").str();
  if (llvm::Function* existing = module.getFunction(name)) return existing;
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* number = llvm::Type::getInt64Ty(context);
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {llvm::Type::getInt1Ty(context), pointer, number, pointer, number, number, number},
                              false),
      llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->setDoesNotThrow();
  const auto block = [&](const char* its) { return llvm::BasicBlock::Create(context, its, function); };
  llvm::BasicBlock *entry = block("entry"), *ask = block("ask"), *end = block("end"), *goOn = block("go.on");
  IRBuilder<> builder(entry);
  builder.CreateCondBr(function->getArg(0), ask, goOn);
  builder.SetInsertPoint(ask);
  Value* launch = function->getArg(1);
  Value* mayGoOn = builder.CreateLoad(pointer, fieldAddress(builder, launch, offsetof(CheckedLaunch, mayGoOn)));
  Value* answer = builder.CreateCall(llvm::FunctionType::get(number, {pointer, number}, false), mayGoOn,
                                     {launch, function->getArg(2)});
  builder.CreateCondBr(builder.CreateIsNull(answer), end, goOn);
  builder.SetInsertPoint(end);
  builder.CreateCall(checker.reportFunction(),
                     {builder.getTrue(), launch, function->getArg(3), function->getArg(2), builder.getInt64(0),
                      function->getArg(4), function->getArg(5), function->getArg(6)});
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
  builder.SetInsertPoint(goOn);
  builder.CreateRetVoid();
  return function;
}

} // namespace

bool hasUnboundedLoop(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  return llvm::any_of(analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder(),
                      [&](const llvm::Loop* loop) { return !isBounded(*loop, evolution); });
}

void checkLoops(llvm::Function& function, Checker& checker, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  llvm::SmallVector<std::pair<llvm::BasicBlock*, llvm::SmallVector<llvm::BasicBlock*, 4>>, 8> found;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (isBounded(*loop, evolution)) continue;
    auto& [header, latches] = found.emplace_back();
    header = loop->getHeader();
    loop->getLoopLatches(latches);
  }
  for (const auto& [header, latches] : found) {
    IRBuilder<> builder(header, header->begin());
    llvm::PHINode* count = builder.CreatePHI(builder.getInt64Ty(), 2, "iterations");
    builder.SetInsertPoint(header, header->getFirstInsertionPt());
    llvm::Instruction& at = *header->getFirstInsertionPt();
    llvm::DebugLoc place = header->getTerminator()->getDebugLoc();
    if (at.getDebugLoc()) place = at.getDebugLoc();
    Value* next = builder.CreateAdd(count, builder.getInt64(1));
    for (llvm::BasicBlock* before : llvm::predecessors(header))
      count->addIncoming(llvm::is_contained(latches, before) ? next : builder.getInt64(0), before);
    Value* asks = builder.CreateICmpEQ(builder.CreateAnd(next, kIterations - 1), builder.getInt64(0));
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(
        asks, at.getIterator(), false, llvm::MDBuilder(function.getContext()).createUnlikelyBranchWeights());
    end->setDebugLoc(place);
    llvm::Constant* site = checker.site(*end, {kFaultLoop});
    builder.SetInsertPoint(end);
    builder.SetCurrentDebugLocation(place);
    llvm::SmallVector<Value*, 8> arguments = {asks, createCheckIntrinsic(builder, Intrinsic::Checks), next, site};
    for (unsigned dimension = 0; dimension < 3; ++dimension)
      arguments.push_back(createCheckIntrinsic(builder, Intrinsic::GlobalId, dimension));
    builder.CreateCall(askFunction(*function.getParent(), checker), arguments);
  }
}

} // namespace clotho::compiler
