// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/named_atomics.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler {
namespace {

/// Pointer operand of an atomic instruction; null for other instructions.
llvm::Use* atomicPointer(llvm::Instruction& instruction) {
  if (!instruction.isAtomic()) return nullptr;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return &load->getOperandUse(llvm::LoadInst::getPointerOperandIndex());
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return &store->getOperandUse(llvm::StoreInst::getPointerOperandIndex());
  if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return &change->getOperandUse(llvm::AtomicRMWInst::getPointerOperandIndex());
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return &exchange->getOperandUse(llvm::AtomicCmpXchgInst::getPointerOperandIndex());
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses NamedAtomicsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  constexpr unsigned kGlobalSpace = 1, kLocalSpace = 3;
  bool isAny = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::Use* pointer = atomicPointer(instruction);
    const auto* cast = pointer != nullptr ? llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer->get()) : nullptr;
    if (cast == nullptr || (cast->getSrcAddressSpace() != kGlobalSpace && cast->getSrcAddressSpace() != kLocalSpace))
      continue;
    pointer->set(const_cast<llvm::Value*>(cast->getPointerOperand()));
    isAny = true;
  }
  return preservedWithEdges(isAny);
}

} // namespace clotho::compiler
