// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>

namespace clotho::compiler {

/// Inserts a copy of the instruction with other operands. `operandOf`: gives the copy's operand for one of the
/// instruction's, and may emit it. Null, without a copy, as soon as it gives null.
llvm::Instruction* copyInstruction(llvm::IRBuilderBase& builder, llvm::Instruction& instruction,
                                   llvm::function_ref<llvm::Value*(llvm::Value*)> operandOf);

} // namespace clotho::compiler
