// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/copy_instruction.hpp"

namespace clotho::compiler {

llvm::Instruction* copyInstruction(llvm::IRBuilderBase& builder, llvm::Instruction& instruction,
                                   llvm::function_ref<llvm::Value*(llvm::Value*)> operandOf) {
  llvm::SmallVector<llvm::Value*, 4> operands;
  for (llvm::Value* operand : instruction.operands()) {
    operands.push_back(operandOf(operand));
    if (operands.back() == nullptr) return nullptr;
  }
  llvm::Instruction* copy = instruction.clone();
  for (auto [operand, value] : llvm::zip_equal(copy->operands(), operands))
    operand.set(value);
  return builder.Insert(copy, instruction.getName());
}

} // namespace clotho::compiler
