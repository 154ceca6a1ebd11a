// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/layout/part_arguments.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::CallInst;
using llvm::Function;
using Calls = llvm::SmallMapVector<std::pair<PartArgument::Kind, unsigned>, llvm::SmallVector<CallInst*, 2>, 4>;

std::optional<PartArgument::Kind> kindOf(Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::GroupId: return PartArgument::Kind::FirstGroup;
  case Intrinsic::NumGroups: return PartArgument::Kind::NumGroups;
  case Intrinsic::GlobalSize: return PartArgument::Kind::GlobalSize;
  case Intrinsic::GlobalOffset: return PartArgument::Kind::GlobalOffset;
  default: return std::nullopt;
  }
}

/// Calls in a kernel that a part would answer for itself.
Calls callsOf(Function& kernel) {
  Calls calls;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto call = matchIntrinsic(&instruction);
    if (const auto kind = call ? kindOf(call->intrinsic) : std::nullopt)
      calls[{*kind, call->dimension}].push_back(llvm::cast<CallInst>(&instruction));
  }
  return calls;
}

/// The kernel with `count` further parameters of 64 bits, in the place of the old one.
Function& withParameters(Function& kernel, std::size_t count) {
  llvm::SmallVector<llvm::Type*, 16> types(kernel.getFunctionType()->params());
  types.append(count, llvm::Type::getInt64Ty(kernel.getContext()));
  auto* type = llvm::FunctionType::get(kernel.getReturnType(), types, false);
  Function* result = Function::Create(type, kernel.getLinkage(), kernel.getAddressSpace());
  kernel.getParent()->getFunctionList().insert(kernel.getIterator(), result);
  result->copyAttributesFrom(&kernel);
  result->copyMetadata(&kernel, 0);
  kernel.setSubprogram(nullptr); // which belongs to one function alone
  result->takeName(&kernel);
  result->splice(result->begin(), &kernel);
  for (auto [before, now] : llvm::zip(kernel.args(), result->args())) {
    before.replaceAllUsesWith(&now);
    now.takeName(&before);
  }
  kernel.replaceAllUsesWith(result);
  kernel.eraseFromParent();
  return *result;
}

/// Group ids of a part are counted from its first group on; all else is the whole launch's.
void replaceCalls(const Calls& calls, Function& kernel) {
  unsigned parameter = kernel.arg_size() - static_cast<unsigned>(calls.size());
  for (const auto& [what, places] : calls) {
    llvm::Argument* argument = kernel.getArg(parameter++);
    for (CallInst* call : places) {
      if (what.first != PartArgument::Kind::FirstGroup) {
        call->replaceAllUsesWith(argument);
        call->eraseFromParent();
        continue;
      }
      llvm::IRBuilder<> builder(call->getNextNode());
      auto* id = llvm::cast<llvm::Instruction>(builder.CreateNUWAdd(call, argument));
      call->replaceUsesWithIf(id, [&](const llvm::Use& use) { return use.getUser() != id; });
    }
  }
}

} // namespace

llvm::PreservedAnalyses PartArgumentsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (llvm::any_of(module, [](const Function& function) { return callsIntrinsic(function, Intrinsic::Enqueuing); }))
    return llvm::PreservedAnalyses::all();
  bool isChanged = false;
  for (Function& kernel : llvm::make_early_inc_range(module)) {
    const bool isOfHost = isKernel(kernel) && !kernel.hasFnAttribute(kRoleAttribute) && kernel.use_empty();
    const Calls calls = isOfHost ? callsOf(kernel) : Calls();
    if (calls.empty()) continue;
    Function& changed = withParameters(kernel, calls.size());
    replaceCalls(calls, changed);
    std::vector<PartArgument> arguments;
    for (const auto& [what, places] : calls)
      arguments.push_back({what.first, what.second});
    note_(changed.getName(), arguments);
    isChanged = true;
  }
  return isChanged ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
