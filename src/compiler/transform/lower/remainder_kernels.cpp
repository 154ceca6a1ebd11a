// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/remainder_kernels.hpp"

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

/// A group of one work-item cannot be smaller.
bool mayBeSmaller(const llvm::MDNode& size) {
  return llvm::any_of(size.operands(), [](const llvm::MDOperand& operand) {
    return !llvm::mdconst::extract<llvm::ConstantInt>(operand)->isOne();
  });
}

} // namespace

llvm::PreservedAnalyses RemainderKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (hasUniformGroupsOnly(module)) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::Function*, 4> kernels;
  for (llvm::Function& function : module)
    if (isKernel(function))
      if (const llvm::MDNode* size = function.getMetadata("reqd_work_group_size");
          size != nullptr && mayBeSmaller(*size) && !factsOf(function).shape)
        kernels.push_back(&function);
  for (llvm::Function* kernel : kernels) {
    cloneVariant(*kernel, *kernel, Variant::Remainder)->setMetadata("reqd_work_group_size", nullptr);
  }
  return kernels.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
