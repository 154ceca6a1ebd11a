// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/order_atomics.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>

namespace clotho::compiler {
namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kLocalSpace = 3;

/// NVPTX's scope for one of OpenCL's, as clang names them. There is none for a sub-group, nor for a work-item.
llvm::SyncScope::ID mapScope(llvm::LLVMContext& context, llvm::SyncScope::ID scope) {
  const auto name = context.getSyncScopeName(scope);
  const llvm::StringRef mapped = llvm::StringSwitch<llvm::StringRef>(name.value_or(""))
                                     .Cases({"subgroup", "workgroup", "singlethread", "block"}, "block")
                                     .Case("device", "device")
                                     .Default("");
  return context.getOrInsertSyncScopeID(mapped);
}

/// The operation's name in PTX, with the type; empty if there is no such instruction, or LLVM makes a loop that keeps
/// the scope.
std::string ptxOperation(const AtomicRMWInst& change) {
  const llvm::Type* type = change.getType();
  const std::string bits = std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
  if (change.getOperation() == AtomicRMWInst::FAdd) {
    if (type->isHalfTy()) return "add.noftz.f16";
    return type->isFloatTy() || type->isDoubleTy() ? "add.f" + bits : "";
  }
  if (change.getOperation() == AtomicRMWInst::Xchg && (type->isFloatTy() || type->isDoubleTy())) return "exch.b" + bits;
  if (!type->isIntegerTy(32) && !type->isIntegerTy(64)) return "";
  switch (change.getOperation()) {
  case AtomicRMWInst::Xchg: return "exch.b" + bits;
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub: return "add.u" + bits;
  case AtomicRMWInst::And: return "and.b" + bits;
  case AtomicRMWInst::Or: return "or.b" + bits;
  case AtomicRMWInst::Xor: return "xor.b" + bits;
  case AtomicRMWInst::Min: return "min.s" + bits;
  case AtomicRMWInst::Max: return "max.s" + bits;
  case AtomicRMWInst::UMin: return "min.u" + bits;
  case AtomicRMWInst::UMax: return "max.u" + bits;
  default: return "";
  }
}

/// Replaces the atomic by the instruction of system scope, if there is one.
void widen(AtomicRMWInst& change) {
  const std::string operation = ptxOperation(change);
  if (operation.empty()) return;
  llvm::IRBuilder<> builder(&change);
  llvm::Type* type = change.getType();
  Value* operand = change.getValOperand();
  if (change.getOperation() == AtomicRMWInst::Sub) operand = builder.CreateNeg(operand);
  const char* letter = type->isHalfTy()        ? "h"
                       : type->isFloatTy()     ? "f"
                       : type->isDoubleTy()    ? "d"
                       : type->isIntegerTy(64) ? "l"
                                               : "r";
  const char* space = change.getPointerAddressSpace() == kGlobalSpace ? ".global" : "";
  auto* function =
      llvm::FunctionType::get(type, {change.getPointerOperand()->getType(), operand->getType()}, /*isVarArg=*/false);
  auto* code =
      llvm::InlineAsm::get(function, std::string("atom.relaxed.sys") + space + "." + operation + " $0, [$1], $2;",
                           std::string("=") + letter + ",l," + letter + ",~{memory}",
                           /*hasSideEffects=*/true);
  llvm::CallInst* call = builder.CreateCall(code, {change.getPointerOperand(), operand});
  call->setDoesNotThrow();
  change.replaceAllUsesWith(call);
  change.eraseFromParent();
}

/// Subtracts by adding, since PTX has no instruction that subtracts reals.
void addNegative(AtomicRMWInst& change) {
  if (change.getOperation() != AtomicRMWInst::FSub || !change.getType()->isFloatingPointTy()) return;
  llvm::IRBuilder<> builder(&change);
  change.setOperand(1, builder.CreateFNeg(change.getValOperand()));
  change.setOperation(AtomicRMWInst::FAdd);
}

void order(AtomicRMWInst& change) {
  const AtomicOrdering ordering = change.getOrdering();
  llvm::IRBuilder<> builder(&change);
  if (ordering == AtomicOrdering::SequentiallyConsistent)
    builder.CreateFence(ordering, change.getSyncScopeID());
  else if (llvm::isReleaseOrStronger(ordering))
    builder.CreateFence(AtomicOrdering::Release, change.getSyncScopeID());
  if (llvm::isAcquireOrStronger(ordering)) {
    builder.SetInsertPoint(change.getNextNode());
    builder.CreateFence(AtomicOrdering::Acquire, change.getSyncScopeID());
  }
  change.setOrdering(AtomicOrdering::Monotonic);
}

template <class Access> void setScope(Access& access) {
  llvm::LLVMContext& context = access.getContext();
  access.setSyncScopeID(access.getPointerAddressSpace() == kLocalSpace ? context.getOrInsertSyncScopeID("block")
                                                                       : mapScope(context, access.getSyncScopeID()));
}

} // namespace

llvm::PreservedAnalyses OrderAtomicsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  llvm::SmallVector<AtomicRMWInst*, 8> changes;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.isAtomic()) continue;
    changed = true;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      setScope(*load);
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      setScope(*store);
    else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      setScope(*exchange);
    else if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction))
      fence->setSyncScopeID(mapScope(function.getContext(), fence->getSyncScopeID()));
    else if (auto* change = llvm::dyn_cast<AtomicRMWInst>(&instruction)) {
      setScope(*change);
      changes.push_back(change);
    }
  }
  for (AtomicRMWInst* change : changes) {
    addNegative(*change);
    order(*change);
    if (change->getSyncScopeID() == llvm::SyncScope::System) widen(*change);
  }
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
