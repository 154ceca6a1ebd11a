// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/width_dependence.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/IR/InstIterator.h>
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

} // namespace

bool isSameAtAnyWidth(const llvm::Function& kernel, const ProcessorModel& cpu) {
  return llvm::none_of(llvm::instructions(kernel), [&](const llvm::Instruction& instruction) {
    return isRelaxed(instruction) || (cpu.hasRootEstimate && isRoot(instruction)) || instruction.isVolatile() ||
           (instruction.isAtomic() && !instruction.use_empty()) || matchSubGroupCall(&instruction) ||
           isIntrinsic(&instruction, Intrinsic::Yield) || isIntrinsic(&instruction, Intrinsic::PrintfBuffer);
  });
}

} // namespace clotho::compiler
