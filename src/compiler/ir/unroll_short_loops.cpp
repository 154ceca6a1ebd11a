// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/unroll_short_loops.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kMostTrips = 8, kMostInstructions = 400; ///< limits for full unrolling

} // namespace

bool unrollShortLoops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (analyses.getResult<llvm::LoopAnalysis>(function).empty()) return false;
  // UnrollLoop needs LCSSA form. Without it, values used after the loop would be replaced by their values before the
  // first iteration.
  llvm::FunctionPassManager prepare;
  prepare.addPass(llvm::LoopSimplifyPass());
  prepare.addPass(llvm::LCSSAPass());
  analyses.invalidate(function, prepare.run(function, analyses));
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changed = false;
  const auto outermostFirst = loops.getLoopsInPreorder();
  for (llvm::Loop* loop : llvm::reverse(outermostFirst)) {
    const unsigned trips = evolution.getSmallConstantTripCount(loop);
    std::size_t instructions = 0;
    for (const llvm::BasicBlock* block : loop->blocks())
      instructions += block->size();
    if (trips == 0 || trips > kMostTrips || trips * instructions > kMostInstructions) continue;
    llvm::UnrollLoopOptions options{};
    options.Count = trips;
    options.Force = true;
    changed |=
        llvm::UnrollLoop(loop, options, &loops, &evolution, &analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                         &analyses.getResult<llvm::AssumptionAnalysis>(function),
                         &analyses.getResult<llvm::TargetIRAnalysis>(function),
                         &analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function),
                         /*PreserveLCSSA=*/true) != llvm::LoopUnrollResult::Unmodified;
  }
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  if (!changed) return false;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(function, analyses);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  return true;
}

} // namespace clotho::compiler
