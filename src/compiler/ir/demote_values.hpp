// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

/// Changes of a function's edges while its values are in memory: with a new edge into a block, definitions need not
/// dominate their uses.
namespace clotho::compiler {

/// Demotes phis, and values that are used in other blocks, to private memory. Returns the new variables.
llvm::SmallVector<llvm::AllocaInst*, 16> demoteValues(llvm::Function& function);

/// Promotes such variables to values again.
void promoteValues(llvm::Function& function, llvm::ArrayRef<llvm::AllocaInst*> demoted);

} // namespace clotho::compiler
