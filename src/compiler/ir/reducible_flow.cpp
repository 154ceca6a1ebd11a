// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/reducible_flow.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

namespace clotho::compiler {

llvm::PreservedAnalyses ReducibleFlowPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const llvm::CycleInfo& cycles = analyses.getResult<llvm::CycleAnalysis>(function);
  const auto isReducible = [](const llvm::Cycle* cycle) { return cycle->isReducible(); };
  if (llvm::all_of(cycles.toplevel_cycles(),
                   [&](const llvm::Cycle* outer) { return llvm::all_of(llvm::depth_first(outer), isReducible); }))
    return llvm::PreservedAnalyses::all();
  // FixIrreducible knows no switches, and loses values that come from a branch both of whose targets are entries.
  runRequired(llvm::LowerSwitchPass(), function, analyses);
  runRequired(llvm::BreakCriticalEdgesPass(), function, analyses);
  runRequired(llvm::FixIrreduciblePass(), function, analyses);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
