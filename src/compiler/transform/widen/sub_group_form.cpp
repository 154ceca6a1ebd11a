// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/sub_group_form.hpp"

#include "compiler/ir/reducible_flow.hpp"
#include "compiler/ir/run_pass.hpp"
#include "compiler/transform/widen/lower_switches.hpp"
#include "compiler/transform/widen/restore_extensions.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

namespace clotho::compiler {

llvm::PreservedAnalyses SubGroupFormPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  Step("restore-extensions").run(function, analyses, [&] { return restoreExtensions(function); });
  llvm::removeUnreachableBlocks(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  lowerSmallSwitches(function);
  runRequired(llvm::LowerSwitchPass(), function, analyses);
  // Unreachable code ends the work-item.
  for (llvm::BasicBlock& block : function)
    if (auto* end = llvm::dyn_cast<llvm::UnreachableInst>(block.getTerminator())) {
      llvm::ReturnInst::Create(function.getContext(), nullptr, end->getIterator());
      end->eraseFromParent();
    }
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  const auto apply = [&](auto pass) { runRequired(std::move(pass), function, analyses); };
  apply(llvm::UnifyFunctionExitNodesPass());
  apply(ReducibleFlowPass());
  apply(llvm::LoopSimplifyPass());
  // Analyses that are kept up to date with each edge take quadratic time.
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  apply(llvm::BreakCriticalEdgesPass());
  apply(llvm::LoopSimplifyPass());
  apply(llvm::LCSSAPass());
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
