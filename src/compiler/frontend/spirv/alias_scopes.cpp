// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes of aliasing (SPV_INTEL_memory_access_aliasing), which are LLVM's metadata of that name. Producers write them
// for each function with restrict pointers that they have inlined.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

namespace clotho::compiler::spirv {
namespace {

using Functions = llvm::SmallPtrSet<const llvm::Function*, 16>;

/// The function that a call runs; null: it is known only when the kernel runs.
llvm::Function* calledBy(const llvm::CallBase& call) {
  return llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
}

} // namespace

/// Declarations stand before all functions, or in a block.
void Reader::declareAliasScopes() {
  llvm::MDBuilder metadata(*context_);
  IdMap<llvm::MDNode*> domains, scopes;
  for (const Instruction& instruction : parsed_.instructions) {
    switch (instruction.op) {
    case spv::OpAliasDomainDeclINTEL:
      domains[instruction.result] = metadata.createAnonymousAliasScopeDomain(name(instruction.result));
      break;
    case spv::OpAliasScopeDeclINTEL: {
      llvm::MDNode* domain = domains.lookup(instruction.operand(0));
      if (domain == nullptr) return fail("a scope of aliasing without a domain");
      scopes[instruction.result] = metadata.createAnonymousAliasScope(domain, name(instruction.result));
      break;
    }
    case spv::OpAliasScopeListDeclINTEL: {
      llvm::SmallVector<llvm::Metadata*, 4> listed;
      for (const Id id : instruction.operands) {
        llvm::MDNode* scope = scopes.lookup(id);
        if (scope == nullptr) return fail("a list of scopes of aliasing has what is none");
        listed.push_back(scope);
      }
      aliasLists_[instruction.result] = llvm::MDNode::get(*context_, listed);
      break;
    }
    default: break;
    }
  }
}

/// A scope speaks of the accesses of one work-item. Behind a barrier are those of others, and once a kernel has been
/// divided at its barriers, loops over work-items stand behind each other without any. So scopes go where work-items
/// wait for each other: from functions that do, from what these call, and from what other modules may call.
void Reader::dropAliasScopes() {
  if (aliasLists_.empty()) return;
  std::vector<const llvm::Function*> reached;
  Functions waiting, dropped;
  const auto wait = [&](const llvm::Function& function) {
    if (waiting.insert(&function).second) reached.push_back(&function);
  };
  llvm::DenseMap<const llvm::Function*, Functions> callers, callees;
  for (llvm::Function& function : *module_) {
    if (waiting_.contains(&function)) wait(function);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      const llvm::Function* callee = calledBy(*call);
      const bool isOfOtherModule =
          callee == nullptr || (callee->isDeclaration() && !callee->isIntrinsic() && !builtins_.contains(callee));
      if (isOfOtherModule) wait(function);
      if (callee == nullptr) continue;
      callers[callee].insert(&function);
      callees[&function].insert(callee);
    }
  }
  while (!reached.empty()) {
    const llvm::Function* function = reached.back();
    reached.pop_back();
    for (const llvm::Function* caller : callers[function])
      wait(*caller);
  }
  llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
  for (const Instruction* entryPoint : entryPoints_)
    kernels.insert(functions_.lookup(entryPoint->operand(1)));
  for (const llvm::Function& function : *module_)
    if (waiting.contains(&function) || (!function.hasInternalLinkage() && !kernels.contains(&function)))
      reached.push_back(&function);
  while (!reached.empty()) {
    const llvm::Function* function = reached.back();
    reached.pop_back();
    if (!dropped.insert(function).second) continue;
    for (const llvm::Function* callee : callees[function])
      reached.push_back(callee);
  }
  for (llvm::Function& function : *module_)
    if (dropped.contains(&function))
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
        instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
      }
}

} // namespace clotho::compiler::spirv
