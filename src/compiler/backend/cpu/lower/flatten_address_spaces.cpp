// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/flatten_address_spaces.hpp"

#include "compiler/ir/map_address_spaces.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace clotho::compiler {
namespace {

/// Makes atomics on local memory plain accesses: one thread runs the work-group, and no other sees the memory.
void unlock(llvm::Function& function) {
  constexpr unsigned kLocalSpace = 3;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        change != nullptr && change->getPointerAddressSpace() == kLocalSpace)
      llvm::lowerAtomicRMWInst(change);
    else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
             exchange != nullptr && exchange->getPointerAddressSpace() == kLocalSpace)
      llvm::lowerAtomicCmpXchgInst(exchange);
  }
}

/// Widens synchronisation scopes to the two that code generators know: single thread and system. On x86 a fence of
/// any other scope would be no fence.
void widenScope(llvm::Instruction& instruction) {
  const auto widen = [](auto& atomic) {
    if (atomic.getSyncScopeID() != llvm::SyncScope::SingleThread) atomic.setSyncScopeID(llvm::SyncScope::System);
  };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    widen(*load);
  else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    widen(*store);
  else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    widen(*update);
  else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    widen(*exchange);
  else if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction))
    widen(*fence);
}

} // namespace

llvm::PreservedAnalyses FlattenAddressSpacesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module)
    unlock(function);
  mapAddressSpaces(module, AddressSpaces{});
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      widenScope(instruction);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
