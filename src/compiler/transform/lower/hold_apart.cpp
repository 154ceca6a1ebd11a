// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/hold_apart.hpp"

#include "compiler/ir/apart_arguments.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using Functions = llvm::SmallPtrSet<const llvm::Function*, 8>;

bool ordersMemory(const llvm::Function& function, Functions& seen);

/// Whether the call is one after which memory may hold what other work-items have stored.
bool ordersMemory(const llvm::CallBase& call, Functions& seen) {
  if (const auto operation = matchSubGroupCall(&call)) return operation->operation == SubGroupOperation::Barrier;
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && !callee->isDeclaration() && seen.insert(callee).second && ordersMemory(*callee, seen);
}

/// Whether calls of the function are such calls. LLVM itself sees what fences and atomics outside calls order.
bool ordersMemory(const llvm::Function& function, Functions& seen) {
  return waitsForOthers(function) || llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& each) {
           if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&each)) return ordersMemory(*call, seen);
           return each.isAtomic();
         });
}

bool waits(const llvm::Function& kernel) {
  Functions seen;
  return waitsForOthers(kernel) || llvm::any_of(llvm::instructions(kernel), [&](const llvm::Instruction& each) {
           const auto* call = llvm::dyn_cast<llvm::CallBase>(&each);
           return call != nullptr && ordersMemory(*call, seen);
         });
}

} // namespace

llvm::PreservedAnalyses HoldApartPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isOriginalKernel(function) || !waits(function)) return llvm::PreservedAnalyses::all();
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
