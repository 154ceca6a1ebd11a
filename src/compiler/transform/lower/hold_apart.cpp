// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/hold_apart.hpp"

#include "compiler/ir/apart_arguments.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {

llvm::PreservedAnalyses HoldApartPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isOriginalKernel(function) || !waitsForOthers(function)) return llvm::PreservedAnalyses::all();
  for (llvm::Argument& argument : function.args())
    if (argument.hasNoAliasAttr() && isWritten(argument)) setApart(argument, /*isHeldBack=*/true);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) {
      instruction.eraseFromParent();
      continue;
    }
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
