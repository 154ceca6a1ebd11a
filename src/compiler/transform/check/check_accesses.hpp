// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/transform/check/checked_accesses.hpp"
#include "compiler/transform/check/checker.hpp"
#include "compiler/transform/check/group_phases.hpp"

namespace clotho::compiler {

/// Adds the checks of memory accesses to a function: bounds, alignment, reads of arrays before they are written
/// (kCheckMemory), and races (kCheckRace, which needs `phases` and looks at bounds, too). `checks`: a set of Check.
/// Returns what it knows of CheckFacts. `accesses`: those of the program.
CheckFacts checkAccesses(llvm::Function& function, Checker& checker, unsigned checks, const GroupPhases* phases,
                         llvm::ArrayRef<CheckedAccess> accesses);

} // namespace clotho::compiler
