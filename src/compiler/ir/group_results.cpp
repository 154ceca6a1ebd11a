// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/group_results.hpp"

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

bool isGroupResult(const llvm::LoadInst& load) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(load.getPointerOperand());
  return variable != nullptr && variable->getName().starts_with(kResultPrefix);
}

bool countsOnOrder(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    return llvm::any_of(instruction.operands(), [](const llvm::Use& operand) {
      return llvm::isa<llvm::GlobalVariable>(operand) && operand->getName().starts_with(kSlotPrefix);
    });
  });
}

} // namespace clotho::compiler
