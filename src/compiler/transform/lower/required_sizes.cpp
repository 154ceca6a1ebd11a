// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/required_sizes.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {

llvm::PreservedAnalyses RequiredSizesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isKernel(function) || !requiredSize(function, 0)) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto call = matchIntrinsic(&instruction);
    if (!call) continue;
    const bool isSize = call->intrinsic == Intrinsic::LocalSize || call->intrinsic == Intrinsic::EnqueuedSize;
    const bool isId = call->intrinsic == Intrinsic::LocalId;
    if (!isSize && !isId) continue;
    const std::uint64_t size = *requiredSize(function, call->dimension);
    changed = true;
    if (isId && size > 1) {
      const llvm::ConstantRange range(llvm::APInt(64, 0), llvm::APInt(64, size));
      llvm::cast<llvm::CallInst>(instruction).removeRetAttr(llvm::Attribute::Range);
      llvm::cast<llvm::CallInst>(instruction).addRangeRetAttr(range);
    } else {
      instruction.replaceAllUsesWith(llvm::ConstantInt::get(instruction.getType(), isId ? 0 : size));
      instruction.eraseFromParent();
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
