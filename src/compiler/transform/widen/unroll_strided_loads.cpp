// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/merge_accesses.hpp"

#include "base/arithmetic.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace clotho::compiler {
namespace {

/// Bytes that a lane should load at once.
constexpr std::int64_t kBytes = 64;
constexpr std::int64_t kLeastBytes = 16; ///< Narrower loads are not worth it.
/// Most instructions of the loop's body, before unrolling and after.
constexpr unsigned kMostInstructions = 60, kMostRepeated = 480;

/// A load by which each lane reads adjacent memory in successive iterations, and the unroll factor.
struct StridedLoad {
  llvm::WeakTrackingVH load; ///< null if it has been erased
  unsigned repetitions = 1;
};

StridedLoad stridedLoadOf(const llvm::Loop& loop, const LaneShapes& shapes, llvm::ScalarEvolution& evolution) {
  StridedLoad strided;
  unsigned instructions = 0;
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      // Stores between loads would prevent merging.
      if (++instructions > kMostInstructions || instruction.mayWriteToMemory()) return {};
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || shapes.of(load->getPointerOperand()).isUniform()) continue;
      const auto stride = shapes.usualStride(load->getPointerOperand());
      if (stride && magnitude(*stride) < kBytes) continue;
      const auto* address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(load->getPointerOperand()));
      if (address == nullptr || address->getLoop() != &loop || !address->isAffine()) continue;
      const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(address->getStepRecurrence(evolution));
      const auto size = load->getDataLayout().getTypeStoreSize(load->getType()).getFixedValue();
      if (step == nullptr || step->getAPInt() != size || size >= kBytes) continue;
      if (kBytes / size > strided.repetitions)
        strided = {llvm::WeakTrackingVH(load), static_cast<unsigned>(kBytes / size)};
    }
  if (!strided.load) return strided;
  const auto size = static_cast<std::int64_t>(
      loop.getHeader()->getDataLayout().getTypeStoreSize(strided.load->getType()).getFixedValue());
  while (strided.repetitions * instructions > kMostRepeated)
    strided.repetitions /= 2;
  return strided.repetitions * size < kLeastBytes ? StridedLoad() : strided;
}

} // namespace

bool unrollStridedLoads(llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                        llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<StridedLoad, 4> loads;
  if (flow.loops().empty()) return false;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
  for (const llvm::Loop* loop : flow.loops().getLoopsInPreorder())
    if (loop->isInnermost() && !flow.isDivergent(*loop))
      if (const StridedLoad strided = stridedLoadOf(*loop, shapes, evolution); strided.load) loads.push_back(strided);
  if (loads.empty()) return false;
  // Brings loops into the form that unrolling needs.
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  analyses.invalidate(kernel, passes.run(kernel, analyses));
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(kernel);
  for (const StridedLoad& strided : loads) {
    const auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(static_cast<llvm::Value*>(strided.load));
    llvm::Loop* loop = load != nullptr ? loops.getLoopFor(load->getParent()) : nullptr;
    if (loop == nullptr || !loop->isInnermost()) continue;
    llvm::UnrollLoopOptions options{};
    options.Count = strided.repetitions;
    options.Runtime = true;
    options.AllowExpensiveTripCount = true;
    options.SCEVExpansionBudget = 4;
    llvm::UnrollLoop(loop, options, &loops, &analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel),
                     &analyses.getResult<llvm::DominatorTreeAnalysis>(kernel),
                     &analyses.getResult<llvm::AssumptionAnalysis>(kernel),
                     &analyses.getResult<llvm::TargetIRAnalysis>(kernel),
                     &analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(kernel), /*PreserveLCSSA=*/true);
  }
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  return true;
}

} // namespace clotho::compiler
