// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/cpu/stack_use.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Error.h>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace clotho::compiler {

enum class Emit { Object, Assembly };

/// Emits machine code for a module that is laid out for `machine`, and lists the stack use of its functions. Errors of
/// the code generator go to the module's context.
llvm::Error emitCode(llvm::Module& module, llvm::TargetMachine& machine, Emit what, llvm::SmallVectorImpl<char>& out,
                     StackUses& stacks);

} // namespace clotho::compiler
