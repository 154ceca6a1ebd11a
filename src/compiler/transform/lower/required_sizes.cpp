// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/required_sizes.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {

llvm::PreservedAnalyses RequiredSizesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isKernel(function) || !requiredSize(function, 0)) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto call = matchIntrinsic(&instruction);
    if (!call || (call->intrinsic != Intrinsic::LocalSize && call->intrinsic != Intrinsic::EnqueuedSize)) continue;
    instruction.replaceAllUsesWith(
        llvm::ConstantInt::get(instruction.getType(), *requiredSize(function, call->dimension)));
    instruction.eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
