// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/assume_apart.hpp"

#include "compiler/analysis/apart_gains.hpp"
#include "compiler/analysis/reached_memory.hpp"
#include "compiler/ir/apart_arguments.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;

constexpr unsigned kGlobalSpace = 1;

/// Whether other threads can observe the order of the kernel's accesses.
bool tellsOrder(const Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const Instruction& instruction) {
    return instruction.isAtomic() || instruction.isVolatile() || llvm::isa<llvm::FenceInst>(instruction);
  });
}

} // namespace

llvm::PreservedAnalyses AssumeApartPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::SmallVector<Function*, 4> kernels;
  for (Function& function : module)
    if (isOriginalKernel(function) && !function.isDeclaration() && reachesArgumentsAlone(function) &&
        !tellsOrder(function) && gainsFromApartArguments(function, analyses))
      kernels.push_back(&function);
  for (Function* kernel : kernels) {
    cloneExact(*kernel);
    const bool hasOrder = waitsForOthers(*kernel);
    for (llvm::Argument& argument : kernel->args())
      if (argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kGlobalSpace)
        setApart(argument, hasOrder && isWritten(argument));
    changeFacts(*kernel, [](KernelFacts& facts) { facts.assumes.argumentsApart = true; });
  }
  return kernels.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
