// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/forget_blocks.hpp"

#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

bool callsThroughPointers(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call != nullptr && call->getCalledFunction() == nullptr && !call->isInlineAsm();
    });
  });
}

/// Replaces the function's address by null. Returns whether it was used.
bool forgetAddress(llvm::Function& function) {
  bool changed = false;
  for (llvm::Use& use : llvm::make_early_inc_range(function.uses())) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    if (call != nullptr && call->isCallee(&use)) continue;
    if (auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(use.getUser())) {
      // Block literals hold pointers to the generic address space.
      if (!cast->isCast() || cast->use_empty()) continue;
      cast->replaceAllUsesWith(llvm::Constant::getNullValue(cast->getType()));
      changed = true;
    } else if (llvm::isa<llvm::Instruction>(use.getUser())) {
      use.set(llvm::Constant::getNullValue(function.getType()));
      changed = true;
    }
  }
  function.removeDeadConstantUsers();
  return changed;
}

} // namespace

llvm::PreservedAnalyses ForgetBlocksPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (callsThroughPointers(module)) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && function.hasLocalLinkage() && !isKernel(function))
      changed = forgetAddress(function) || changed;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
