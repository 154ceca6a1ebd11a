// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alias scopes (SPV_INTEL_memory_access_aliasing), which are LLVM's metadata of that name. Producers write them for
// each inlined function with restrict pointers.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

namespace clotho::compiler::spirv {
namespace {

using Functions = llvm::SmallPtrSet<const llvm::Function*, 16>;
using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock*, 16>;

/// The function that a call runs; null for indirect calls.
llvm::Function* calledBy(const llvm::CallBase& call) {
  return llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
}

/// Blocks that may run more than once in one call.
Blocks repeatedBlocks(llvm::Function& function) {
  Blocks found;
  if (function.isDeclaration()) return found;
  for (auto component = llvm::scc_begin(&function); !component.isAtEnd(); ++component)
    if (component.hasCycle()) found.insert_range(*component);
  return found;
}

void drop(llvm::Instruction& instruction) {
  instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
  instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
}

} // namespace

/// Reads the declarations, which may be before all functions or in a block, in any order.
void Reader::declareAliasScopes() {
  llvm::MDBuilder metadata(*context_);
  IdMap<llvm::MDNode*> domains, scopes;
  for (const Instruction& instruction : parsed_.instructions)
    if (instruction.op == spv::OpAliasDomainDeclINTEL)
      domains[instruction.result] = metadata.createAnonymousAliasScopeDomain(name(instruction.result));
  for (const Instruction& instruction : parsed_.instructions) {
    if (instruction.op != spv::OpAliasScopeDeclINTEL) continue;
    llvm::MDNode* domain = domains.lookup(instruction.operand(0));
    if (domain == nullptr) return fail("a scope of aliasing without a domain");
    scopes[instruction.result] = metadata.createAnonymousAliasScope(domain, name(instruction.result));
  }
  for (const Instruction& instruction : parsed_.instructions) {
    if (instruction.op != spv::OpAliasScopeListDeclINTEL) continue;
    llvm::SmallVector<llvm::Metadata*, 4> listed;
    for (const Id id : instruction.operands) {
      llvm::MDNode* scope = scopes.lookup(id);
      if (scope == nullptr) return fail("a list of scopes of aliasing has what is none");
      listed.push_back(scope);
    }
    aliasLists_[instruction.result] = llvm::MDNode::get(*context_, listed);
  }
}

/// Removes alias scopes that do not hold for whole kernels. A scope describes the accesses of one work-item: after a
/// barrier there are those of others, and once a kernel has been divided at its barriers, loops over work-items follow
/// each other without barriers. So scopes are removed from functions with barriers, from their callees, and from
/// functions that other modules may call. A scope also describes one call of the inlined function, of which a loop
/// makes many. SPIR-V does not say where the call begins, so scopes are removed from loops and their callees, too.
void Reader::dropAliasScopes() {
  if (aliasLists_.empty()) return;
  std::vector<const llvm::Function*> reached;
  Functions waiting, calledInLoops, dropped;
  const auto wait = [&](const llvm::Function& function) {
    if (waiting.insert(&function).second) reached.push_back(&function);
  };
  llvm::DenseMap<const llvm::Function*, Functions> callers, callees;
  for (llvm::Function& function : *module_) {
    if (waiting_.contains(&function)) wait(function);
    const Blocks repeated = repeatedBlocks(function);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const bool isRepeated = repeated.contains(instruction.getParent());
      if (isRepeated) drop(instruction);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      const llvm::Function* callee = calledBy(*call);
      const bool isOfOtherModule =
          callee == nullptr || (callee->isDeclaration() && !callee->isIntrinsic() && !builtins_.contains(callee));
      if (isOfOtherModule) wait(function);
      if (callee == nullptr) continue;
      callers[callee].insert(&function);
      callees[&function].insert(callee);
      if (isRepeated) calledInLoops.insert(callee);
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
  reached.assign(calledInLoops.begin(), calledInLoops.end());
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
      for (llvm::Instruction& instruction : llvm::instructions(function))
        drop(instruction);
}

} // namespace clotho::compiler::spirv
