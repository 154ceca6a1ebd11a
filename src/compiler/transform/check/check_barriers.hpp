// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checker.hpp"
#include "compiler/transform/check/group_phases.hpp"

namespace clotho::compiler {

/// Adds checks that all work-items of a group meet the same barriers and group functions, in the same order: each names
/// the call that it has come to, or the kernel's end, and compares with what the first of the group has named.
void checkBarriers(llvm::Function& kernel, Checker& checker, const GroupPhases& phases,
                   llvm::ArrayRef<llvm::CallInst*> calls);

} // namespace clotho::compiler
