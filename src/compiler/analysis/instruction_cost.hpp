// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

namespace clotho::compiler {

/// What an instruction takes by LLVM's cost tables, in operations or cycles, 1 where they do not know it.
double costByTables(const llvm::Instruction& instruction, const llvm::TargetTransformInfo& costs,
                    llvm::TargetTransformInfo::TargetCostKind kind);

} // namespace clotho::compiler
