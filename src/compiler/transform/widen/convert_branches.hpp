// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

namespace clotho::compiler {

/// Makes selections of those branches on loaded data that `which` names, where little is done on either side but to
/// compute. What is loaded there is loaded before, whether it is wanted or not, and named in `loads`: it is for the
/// caller to see that this may be. Whether there was such a branch.
bool convertBranches(llvm::Function& function, llvm::function_ref<bool(const llvm::Value& condition)> which,
                     llvm::SmallPtrSetImpl<const llvm::Instruction*>& loads);

} // namespace clotho::compiler
