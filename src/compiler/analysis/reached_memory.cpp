// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/reached_memory.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

const llvm::Value* pointerOf(const llvm::Instruction& instruction) {
  if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return change->getPointerOperand();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return exchange->getPointerOperand();
  return llvm::getLoadStorePointerOperand(&instruction);
}

bool isKnown(const llvm::Instruction& instruction) {
  constexpr unsigned kGlobalSpace = 1;
  if (instruction.getType()->isPtrOrPtrVectorTy() &&
      !llvm::isa<llvm::GetElementPtrInst, llvm::AllocaInst, llvm::AddrSpaceCastInst, llvm::PHINode, llvm::SelectInst>(
          instruction))
    return false;
  if (!instruction.mayReadOrWriteMemory() || matchIntrinsic(&instruction) || llvm::isa<llvm::FenceInst>(instruction))
    return true;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic();
  const llvm::Value* pointer = pointerOf(instruction);
  if (pointer == nullptr) return false;
  const llvm::Value* object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object))
    return variable->getAddressSpace() != kGlobalSpace || variable->isConstant();
  return llvm::isa<llvm::Argument, llvm::AllocaInst>(object);
}

} // namespace

bool reachesArgumentsAlone(const llvm::Function& kernel) { return llvm::all_of(llvm::instructions(kernel), isKnown); }

} // namespace clotho::compiler
