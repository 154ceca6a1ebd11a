// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checked_accesses.hpp"
#include "compiler/transform/check/checker.hpp"
#include "compiler/transform/check/group_phases.hpp"

namespace clotho::compiler {

/// Adds the checks of memory accesses to a function: bounds, alignment, reads of arrays before they are written
/// (kCheckMemory), and races (kCheckRace, which needs `phases` and looks at bounds, too). `checks`: a set of Check.
/// Returns for how many bytes of global memory there is a cell; 0: races are not looked for.
/// `accesses`: those of the program.
std::uint64_t checkAccesses(llvm::Function& function, Checker& checker, unsigned checks, const GroupPhases* phases,
                            llvm::ArrayRef<CheckedAccess> accesses);

} // namespace clotho::compiler
