// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/pipeline_passes.hpp"

#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/CanonicalizeFreezeInLoops.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace clotho::compiler {
namespace {

bool isForDebugger(const llvm::Function& function) {
  bool hasVariables = false;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee != nullptr && callee->getName() == "printf" && !llvm::isa<llvm::Constant>(call->getArgOperand(0)))
      return false;
    if (mayReadForOthers(instruction)) return false;
    for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
      hasVariables = hasVariables || record.isDbgDeclare();
  }
  return hasVariables;
}

} // namespace

bool isWide(const llvm::Function& function) { return factsOf(function).width != 1; }

llvm::PreservedAnalyses ForScalarFunctions::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (isWide(function) || factsOf(function).isSeldomRun) return llvm::PreservedAnalyses::all();
  return passes_.run(function, analyses);
}

llvm::PreservedAnalyses ForWholeCode::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (factsOf(function).lacksFaster) return llvm::PreservedAnalyses::all();
  return passes_.run(function, analyses);
}

llvm::PreservedAnalyses UnrollCountedLoops::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                                llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater) {
  constexpr unsigned kFewTrips = 8; // Up to here an upper bound of the trip count is enough.
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getExitingBlocks(exits);
  const unsigned most = results.SE.getSmallConstantMaxTripCount(&loop);
  const bool isKnown = most != 0 && (most <= kFewTrips || llvm::any_of(exits, [&](const llvm::BasicBlock* exit) {
                                       return results.SE.getSmallConstantTripCount(&loop, exit) != 0;
                                     }));
  if (!isKnown && isWide(*loop.getHeader()->getParent())) return llvm::PreservedAnalyses::all();
  return llvm::LoopFullUnrollPass(/*OptLevel=*/2).run(loop, analyses, results, updater);
}

llvm::PreservedAnalyses UnrollWorkItemLoops::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                                 llvm::LoopStandardAnalysisResults& results,
                                                 llvm::LPMUpdater& updater) {
  constexpr std::uint64_t kMostVectors = 1024, kMostBetweenBarriers = 480, kMostWithArrays = 768;
  std::uint64_t vectors = 0, instructions = 0;
  bool hasVectors = false, hasArrays = false, hasBarriers = false, goesAlongArray = false;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
      vectors += vector != nullptr ? vector->getNumElements() : 1;
      ++instructions;
      hasVectors = hasVectors || vector != nullptr;
      hasBarriers = hasBarriers || isIntrinsic(&instruction, Intrinsic::Barrier);
      // Accesses of arrays with known indices become registers.
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer == nullptr || !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer))) continue;
      hasArrays = true;
      goesAlongArray = goesAlongArray || !loop.isLoopInvariant(pointer);
    }
  const std::uint64_t trips = results.SE.getSmallConstantMaxTripCount(&loop);
  if (hasVectors && !hasArrays && trips * vectors > kMostVectors) return llvm::PreservedAnalyses::all();
  // Full unrolling makes indices constant: it is then known which lanes exchange values across a barrier, and private
  // arrays become registers. This justifies higher limits than LLVM's 300.
  const std::uint64_t known = results.SE.getSmallConstantTripCount(&loop);
  const std::uint64_t most = goesAlongArray ? kMostWithArrays : hasBarriers ? kMostBetweenBarriers : 0;
  if (known != 0 && known * instructions <= most && llvm::hasUnrollTransformation(&loop) == llvm::TM_Unspecified)
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
  return llvm::LoopFullUnrollPass(/*OptLevel=*/hasBarriers ? 3 : 2).run(loop, analyses, results, updater);
}

llvm::PreservedAnalyses PlainRegisters::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (isForDebugger(function)) {
    // Removes lifetime markers, so that the contents at the end of a variable's life are not stored.
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::isa<llvm::LifetimeIntrinsic>(instruction)) instruction.eraseFromParent();
    return llvm::PreservedAnalyses::none();
  }
  return llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(function, analyses);
}

} // namespace clotho::compiler
