// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checker.hpp"

namespace clotho::compiler {

/// Replaces block reads and writes of sub-groups (cl_intel_subgroups) by accesses of each work-item's own elements,
/// which are checked like others. With kCheckMemory in `checks`, a set of Check, it also checks the alignment of
/// blocks.
void checkBlocks(llvm::Function& function, Checker& checker, unsigned checks);

} // namespace clotho::compiler
