// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/width_dependence.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler {
namespace {

bool isRelaxed(const llvm::Instruction& instruction) {
  const auto* real = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
  return real != nullptr &&
         (real->hasAllowContract() || real->hasAllowReassoc() || real->hasAllowReciprocal() || real->hasApproxFunc());
}

bool isRoot(const llvm::Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::sqrt;
}

/// Whether the pointer is to private memory, which other work-items cannot see.
bool isPrivate(const llvm::Value& pointer) { return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&pointer)); }

/// Atomics of OpenCL 1.x take pointers to volatile memory, so `volatile` on an atomic has no meaning here.
bool isVolatileAccess(const llvm::Instruction& instruction) {
  if (!instruction.isVolatile() || instruction.isAtomic()) return false;
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  return pointer == nullptr || !isPrivate(*pointer);
}

/// Whether several such updates of one address may run in any order.
bool commutes(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
  case llvm::AtomicRMWInst::And:
  case llvm::AtomicRMWInst::Or:
  case llvm::AtomicRMWInst::Xor:
  case llvm::AtomicRMWInst::Max:
  case llvm::AtomicRMWInst::Min:
  case llvm::AtomicRMWInst::UMax:
  case llvm::AtomicRMWInst::UMin: return true;
  default: return false;
  }
}

/// Whether the result depends on the order of work-items, although that order is fixed: in local memory, since one
/// thread runs each work-group. The order of work-groups is not fixed anyway.
bool tellsOrder(const llvm::Instruction& instruction) {
  constexpr unsigned kGlobalSpace = 1;
  if (!instruction.isAtomic() || llvm::isa<llvm::FenceInst>(instruction)) return false;
  const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  if (change == nullptr) return true;
  return change->getPointerAddressSpace() != kGlobalSpace &&
         (!change->use_empty() || !commutes(change->getOperation()));
}

/// Whether the result depends on how work-items are divided into sub-groups.
bool tellsDivision(const llvm::Instruction& instruction) {
  const auto call = matchSubGroupCall(&instruction);
  return call && call->operation != SubGroupOperation::Agree;
}

} // namespace

bool isSameAtAnyWidth(const llvm::Function& kernel, const ProcessorModel& cpu) {
  return llvm::none_of(llvm::instructions(kernel), [&](const llvm::Instruction& instruction) {
    return isRelaxed(instruction) || (cpu.hasRootEstimate && isRoot(instruction)) || tellsOrder(instruction) ||
           tellsDivision(instruction) || isIntrinsic(&instruction, Intrinsic::Yield) ||
           isIntrinsic(&instruction, Intrinsic::PrintfBuffer);
  });
}

bool hasRelaxedArithmetic(const llvm::Function& function) {
  llvm::SmallSetVector<const llvm::Function*, 16> functions;
  functions.insert(&function);
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (const llvm::Instruction& instruction : llvm::instructions(*functions[i])) {
      if (isRelaxed(instruction)) return true;
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr) functions.insert(call->getCalledFunction());
    }
  return false;
}

bool mayGoInStep(const llvm::Function& kernel) { return llvm::any_of(llvm::instructions(kernel), isVolatileAccess); }

} // namespace clotho::compiler
