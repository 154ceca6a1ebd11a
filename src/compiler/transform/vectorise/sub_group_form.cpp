// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/sub_group_form.hpp"

#include "compiler/transform/vectorise/lower_switches.hpp"
#include "compiler/transform/vectorise/restore_extensions.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

namespace clotho::compiler {

llvm::PreservedAnalyses SubGroupFormPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  restoreExtensions(function);
  llvm::removeUnreachableBlocks(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  lowerSmallSwitches(function);
  llvm::LowerSwitchPass().run(function, analyses);
  // What cannot be reached ends the work-item, like everything else.
  for (llvm::BasicBlock& block : function)
    if (auto* end = llvm::dyn_cast<llvm::UnreachableInst>(block.getTerminator())) {
      llvm::ReturnInst::Create(function.getContext(), nullptr, end->getIterator());
      end->eraseFromParent();
    }
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  // Not by a pass manager, which could be told to leave some out: the form is needed.
  const auto apply = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  apply(llvm::UnifyFunctionExitNodesPass());
  apply(llvm::FixIrreduciblePass());
  apply(llvm::LoopSimplifyPass());
  apply(llvm::BreakCriticalEdgesPass());
  apply(llvm::LoopSimplifyPass());
  apply(llvm::LCSSAPass());
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
