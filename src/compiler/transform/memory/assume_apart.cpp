// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/assume_apart.hpp"

#include "compiler/analysis/reached_memory.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1;

/// The argument that the pointer is made of, if it points to global memory that others may point to as well.
const llvm::Argument* baseOf(const Value* pointer) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
  return argument != nullptr && argument->getType()->isPointerTy() &&
                 argument->getType()->getPointerAddressSpace() == kGlobalSpace
             ? argument
             : nullptr;
}

/// Whether every round of the loop stores to one place, and accesses in the loop by other arguments keep it from being
/// in a register.
bool keepsSumInMemory(const llvm::Loop& loop, llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (latch == nullptr) return false;
  llvm::SmallPtrSet<const llvm::Argument*, 4> kept, accessed;
  for (llvm::BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block) {
      if (isIntrinsic(&instruction, Intrinsic::Barrier)) return false;
      Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      const llvm::Argument* base = pointer == nullptr ? nullptr : baseOf(pointer);
      if (base == nullptr) continue;
      accessed.insert(base);
      if (llvm::isa<llvm::StoreInst>(instruction) && !base->hasNoAliasAttr() && dominators.dominates(block, latch) &&
          evolution.isLoopInvariant(evolution.getSCEV(pointer), &loop))
        kept.insert(base);
    }
  return !kept.empty() && accessed.size() > 1;
}

/// Others may see in which order things happen.
bool tellsOrder(const Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const Instruction& instruction) {
    return instruction.isAtomic() || instruction.isVolatile() || llvm::isa<llvm::FenceInst>(instruction);
  });
}

bool gains(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(kernel);
  const auto loops = analyses.getResult<llvm::LoopAnalysis>(kernel).getLoopsInPreorder();
  return llvm::any_of(loops, [&](const llvm::Loop* loop) { return keepsSumInMemory(*loop, evolution, dominators); });
}

} // namespace

llvm::PreservedAnalyses AssumeApartPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::SmallVector<Function*, 4> kernels;
  for (Function& function : module)
    if (isOriginalKernel(function) && !function.isDeclaration() && reachesArgumentsAlone(function) &&
        !tellsOrder(function) && gains(function, analyses))
      kernels.push_back(&function);
  for (Function* kernel : kernels) {
    cloneExact(*kernel);
    for (llvm::Argument& argument : kernel->args())
      if (argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kGlobalSpace)
        argument.addAttr(llvm::Attribute::NoAlias);
    changeFacts(*kernel, [](KernelFacts& facts) { facts.assumes.argumentsApart = true; });
  }
  return kernels.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
