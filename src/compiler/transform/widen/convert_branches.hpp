// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// Converts branches on loaded data that `which` accepts to selects, if their sides mainly compute. Loads on the sides
/// are executed unconditionally and added to `loads`: the caller must make sure that they are safe. Returns whether
/// there was such a branch.
bool convertBranches(llvm::Function& function, llvm::function_ref<bool(const llvm::Value& condition)> which,
                     llvm::SmallPtrSetImpl<const llvm::Instruction*>& loads);

} // namespace clotho::compiler
