// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/promote_local_arrays.hpp"

#include "compiler/analysis/known_accesses.hpp"
#include "compiler/analysis/promoted_arrays.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/transform/groups/array_registers.hpp"
#include "compiler/transform/groups/remove_lane_tests.hpp"
#include "compiler/transform/groups/written_out_frame.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace clotho::compiler {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

llvm::PreservedAnalyses PromoteLocalArraysPass::run(Function& function, llvm::FunctionAnalysisManager& analyses) {
  const KernelFacts facts = factsOf(function);
  // Debuggers show local memory, so it must stay in memory.
  if (facts.localParameters == 0 || facts.width < 2 || !function.getParent()->debug_compile_units().empty())
    return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
  auto& costs = analyses.getResult<llvm::TargetIRAnalysis>(function);
  PromotedArrays candidates(loops, evolution, function, registerBytes_);
  llvm::SmallVector<llvm::Argument*, 4> variables;
  for (llvm::Argument& argument : function.args())
    if (argument.getArgNo() < 64 && (facts.localParameters >> argument.getArgNo() & 1) != 0 && candidates.add(argument))
      variables.push_back(&argument);
  if (variables.empty()) return llvm::PreservedAnalyses::all();

  llvm::DomTreeUpdater updater(tree, llvm::DomTreeUpdater::UpdateStrategy::Eager);
  for (llvm::Loop* loop : candidates.wanted) {
    removeLaneTests(*loop, variables, loops, updater);
    evolution.forgetLoop(loop);
    llvm::simplifyLoop(loop, &tree, &loops, &evolution, &assumptions, nullptr, /*PreserveLCSSA=*/false);
    llvm::formLCSSARecursively(*loop, tree, &loops, &evolution);
    llvm::UnrollLoopOptions options{};
    options.Count = candidates.tripCountOf(*loop);
    options.Force = true;
    llvm::OptimizationRemarkEmitter remarks(&function);
    llvm::UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions, &costs, &remarks, /*PreserveLCSSA=*/true);
  }
  // Contents of an array are tracked only within a block.
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(function))
    llvm::MergeBlockIntoPredecessor(&block, &updater, &loops);
  forwardConstants(*function.getArg(kFrame), tree);
  const auto once = [](Instruction&) -> Iterations {
    return {1, [](Value& value, unsigned) { return llvm::dyn_cast<llvm::Constant>(&value); }};
  };
  for (llvm::Argument* variable : variables)
    if (std::optional<KnownAccesses> accesses = knownAccesses(*variable, kMostPromotedBytes, once))
      keepInRegisters(*variable, std::move(*accesses), registerBytes_, tree);
  makeFrameOwn(*function.getArg(kFrame));
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
